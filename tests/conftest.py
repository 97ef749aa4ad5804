"""Its place puts this folder on the path, so that every test can import `schema_check`."""
