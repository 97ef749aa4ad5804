-- The append-only chain: every fact of every run, in order. hash covers prev_hash and all of the row.
CREATE TABLE entry (
    seq BIGINT PRIMARY KEY,
    id VARCHAR NOT NULL UNIQUE,
    run_id VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    key VARCHAR UNIQUE,
    body JSON NOT NULL,
    meta JSON NOT NULL,
    created TIMESTAMP NOT NULL,  -- UTC
    prev_hash VARCHAR NOT NULL,
    hash VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL
);

-- One row: where the chain ends, so that rows missing at its end are noticed.
CREATE TABLE chain_head (seq BIGINT NOT NULL, hash VARCHAR NOT NULL);
INSERT INTO chain_head VALUES (0, '');

-- Typed projection of the rows of kind 'gap', written in their transaction.
CREATE TABLE gap (
    id VARCHAR PRIMARY KEY,
    run_id VARCHAR NOT NULL,
    round INTEGER NOT NULL,
    task VARCHAR NOT NULL,
    policy VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    sim_success DOUBLE NOT NULL,
    real_success DOUBLE NOT NULL,
    success_gap DOUBLE NOT NULL,
    success_gap_low DOUBLE NOT NULL,
    success_gap_high DOUBLE NOT NULL,
    sim_slip DOUBLE NOT NULL,
    real_slip DOUBLE NOT NULL,
    slip_gap DOUBLE NOT NULL,
    slip_gap_low DOUBLE NOT NULL,
    slip_gap_high DOUBLE NOT NULL,
    sim_slip_fraction DOUBLE,
    real_slip_fraction DOUBLE,
    sim_trials INTEGER NOT NULL,
    real_trials INTEGER NOT NULL,
    first_divergence VARCHAR,  -- channel@step, e.g. force@step3
    verdict VARCHAR NOT NULL,
    decision VARCHAR NOT NULL
);

-- What each approval is now; changed by compare-and-set only. Its history is in approval_history.
CREATE TABLE approval (
    id VARCHAR PRIMARY KEY,
    run_id VARCHAR NOT NULL,
    key VARCHAR NOT NULL,
    status VARCHAR NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'claimed', 'used', 'expired')),
    round INTEGER NOT NULL,
    plan_hash VARCHAR NOT NULL,
    policy VARCHAR NOT NULL,
    driver VARCHAR NOT NULL,
    envelope_hash VARCHAR NOT NULL,
    rollouts INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    expires_minutes DOUBLE NOT NULL,
    created DOUBLE NOT NULL,  -- unix seconds
    person VARCHAR NOT NULL,
    why VARCHAR NOT NULL,
    claimant VARCHAR NOT NULL,
    done INTEGER
);

-- Views: the other kinds, as one would like to ask for them.
CREATE VIEW run AS SELECT id, created, body->>'request' AS request, (body->>'seed')::BIGINT AS seed,
    body->>'driver' AS driver, body->>'planner' AS planner, body->>'approve' AS approve,
    (body->>'rounds')::INTEGER AS rounds FROM entry WHERE kind = 'run';
CREATE VIEW plan AS SELECT id, run_id, content_hash AS hash, body->>'task' AS task, body->>'robot' AS robot,
    body->>'driver' AS driver, (body->>'$.panel.episodes')::INTEGER AS episodes,
    (body->>'pilot_rollouts')::INTEGER AS pilot_rollouts, (body->>'seed')::BIGINT AS seed,
    body->'measurements' AS measurements, body->'family' AS family FROM entry WHERE kind = 'plan';
CREATE VIEW training AS SELECT id, run_id, (body->>'round')::INTEGER AS round, body->>'task' AS task,
    body->>'policy' AS policy, body->>'start_policy' AS start_policy, body->>'family_hash' AS family_hash,
    (body->>'seed')::BIGINT AS seed, (body->>'iterations')::BIGINT AS iterations,
    (body->>'env_steps')::BIGINT AS env_steps, (body->>'final_success')::DOUBLE AS final_success,
    body->>'artifact' AS artifact FROM entry WHERE kind = 'training';
CREATE VIEW evaluation AS SELECT id, run_id, (body->>'round')::INTEGER AS round, body->>'policy' AS policy,
    body->>'$.panel.name' AS panel, (body->>'$.success.trials')::INTEGER AS trials,
    (body->>'$.success.successes')::DOUBLE / (body->>'$.success.trials')::DOUBLE AS success,
    (body->>'$.slip_rate.successes')::DOUBLE / (body->>'$.slip_rate.trials')::DOUBLE AS slip_rate,
    (body->>'slip_fraction')::DOUBLE AS slip_fraction, (body->>'diverged')::INTEGER AS diverged,
    body->>'artifact' AS artifact FROM entry WHERE kind = 'evaluation';
CREATE VIEW pilot AS SELECT id, run_id, (body->>'round')::INTEGER AS round, body->>'policy' AS policy,
    body->>'driver' AS driver, body->>'rig' AS rig, body->>'calibration' AS calibration, body->>'source' AS source,
    body->>'approval' AS approval, (body->>'rollouts')::INTEGER AS rollouts,
    (body->>'control_rollouts')::INTEGER AS control_rollouts,
    (body->>'$.success.successes')::DOUBLE / (body->>'$.success.trials')::DOUBLE AS success,
    (body->>'$.slip_rate.successes')::DOUBLE / (body->>'$.slip_rate.trials')::DOUBLE AS slip_rate,
    (body->>'slip_fraction')::DOUBLE AS slip_fraction, body->>'stopped_by' AS stopped_by,
    body->>'artifact' AS artifact FROM entry WHERE kind = 'pilot';
CREATE VIEW diagnosis AS SELECT id, run_id, (body->>'round')::INTEGER AS round, body->>'verdict' AS verdict,
    body->>'target' AS target, (body->>'estimate')::DOUBLE AS estimate, (body->>'$.interval[0]')::DOUBLE AS low,
    (body->>'$.interval[1]')::DOUBLE AS high, body->>'unit' AS unit, (body->>'noise_floor')::DOUBLE AS noise_floor,
    (body->>'family_error')::DOUBLE AS family_error, (body->>'best_error')::DOUBLE AS best_error,
    (body->>'p_value')::DOUBLE AS p_value, body->>'next' AS next FROM entry WHERE kind = 'diagnosis';
CREATE VIEW repair AS SELECT id, run_id, (body->>'round')::INTEGER AS round, body->>'action' AS action,
    body->>'target' AS target, (body->>'low')::DOUBLE AS low, (body->>'high')::DOUBLE AS high, body->>'unit' AS unit,
    (body->>'expected_success_gap')::DOUBLE AS expected_success_gap, body->>'text' AS text, body->>'why' AS why
    FROM entry WHERE kind = 'repair';
CREATE VIEW repair_effect AS SELECT id, run_id, body->>'repair' AS repair,
    (body->>'success_gap_before')::DOUBLE AS success_gap_before,
    (body->>'success_gap_after')::DOUBLE AS success_gap_after,
    (body->>'slip_gap_before')::DOUBLE AS slip_gap_before, (body->>'slip_gap_after')::DOUBLE AS slip_gap_after,
    (body->>'expected_success_gap')::DOUBLE AS expected_success_gap, (body->>'helped')::BOOLEAN AS helped
    FROM entry WHERE kind = 'repair_effect';
CREATE VIEW approval_history AS SELECT id, run_id, created, coalesce(body->>'approval', id) AS approval,
    coalesce(body->>'status', 'pending') AS status, body->>'reason' AS reason, meta->>'person' AS person,
    meta->>'why' AS why, meta->>'claimant' AS claimant FROM entry WHERE kind = 'approval';
CREATE VIEW llm_call AS SELECT id, run_id, created, body->>'model' AS model, body->>'prompt' AS prompt,
    body->>'prompt_version' AS prompt_version, body, meta FROM entry WHERE kind = 'llm_call';
CREATE VIEW note AS SELECT id, run_id, created, body->>'topic' AS topic, (body->>'round')::INTEGER AS round,
    body->>'text' AS text, body->'data' AS data, meta FROM entry WHERE kind = 'note';
CREATE VIEW outcome AS SELECT id, run_id, created, body->>'status' AS status, body->>'why' AS why, body, meta FROM entry WHERE kind = 'outcome';
