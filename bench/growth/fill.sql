-- Fills a migrated, empty database with a year of use, or with that of `growth.days`. The setting `growth.transactions` is
-- the number of transactions; everything else is in proportion, unless `growth.accounts` is the number of accounts and of
-- users. The same numbers give the same rows. A tenth belongs to one large account.
--
-- The rows are the worst case of a list: half of them share a reference or a customer, and some values of `status` and
-- `type` only the oldest rows have, so that a scan in the order of time reads all others first.

CREATE FUNCTION pg_temp.id(prefix text, at timestamptz, number bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  ms bigint := extract(epoch FROM at) * 1000;
  digits text := '0123456789abcdefghjkmnpqrstvwxyz'; -- base32
BEGIN
  RETURN prefix || '_' || substr(digits, 1 + (ms >> 45)::integer, 1)
    || substr(digits, 1 + (ms >> 40 & 31)::integer, 1) || substr(digits, 1 + (ms >> 35 & 31)::integer, 1)
    || substr(digits, 1 + (ms >> 30 & 31)::integer, 1) || substr(digits, 1 + (ms >> 25 & 31)::integer, 1)
    || substr(digits, 1 + (ms >> 20 & 31)::integer, 1) || substr(digits, 1 + (ms >> 15 & 31)::integer, 1)
    || substr(digits, 1 + (ms >> 10 & 31)::integer, 1) || substr(digits, 1 + (ms >> 5 & 31)::integer, 1)
    || substr(digits, 1 + (ms & 31)::integer, 1) || '0e0g0' || lpad(to_hex(number), 11, '0');
END $$;

-- The time of row `number` of `count`.
CREATE FUNCTION pg_temp.at(number bigint, count bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc('milliseconds', '2025-11-01T00:00:00Z'::timestamptz + number::float8 / count
    * coalesce(nullif(current_setting('growth.days', true), ''), '365')::float8 * interval '1 day')
$$;

CREATE FUNCTION pg_temp.random(number bigint, choices integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (hashint8(number) & 2147483647) / 7 % choices
$$;

CREATE TEMPORARY TABLE size AS
SELECT t AS transactions, coalesce(nullif(current_setting('growth.accounts', true), '')::bigint, greatest(t / 100, 10)) AS accounts,
       t / 5 AS requests, t / 5 AS others
FROM (SELECT current_setting('growth.transactions')::bigint AS t) AS setting;

INSERT INTO accounts (id, email, name, type, status, currency, timezone, language, posted, held, pending_in,
                      entry_count, last_id_number, created_at, updated_at)
SELECT pg_temp.id('acc', at, n), 'account-' || n || '@example.com', 'Account ' || n,
       CASE WHEN n < accounts / 100 OR n % 3 = 0 THEN 'business' ELSE 'individual' END,
       CASE WHEN n = 0 THEN 'active' WHEN n < accounts / 50 THEN 'pending' WHEN n % 20 = 7 THEN 'closed'
            WHEN n % 50 = 8 THEN 'suspended' ELSE 'active' END,
       'USD', 'UTC', 'en', 0, 0, 0, 0, 0, at, at
FROM size, generate_series(0, accounts - 1) AS n, LATERAL (SELECT pg_temp.at(n, accounts) AS at OFFSET 0) AS t;

CREATE TEMPORARY TABLE owner AS SELECT row_number() OVER (ORDER BY id) - 1 AS position, id FROM accounts;
CREATE UNIQUE INDEX ON owner (position);
ANALYZE owner;

INSERT INTO users (id, email, name, status, role, account_id, created_at, updated_at)
SELECT pg_temp.id('usr', at, n), 'user-' || n || '@example.com', 'User ' || n,
       CASE WHEN n < accounts / 50 THEN 'pending' WHEN n % 20 = 7 THEN 'suspended' ELSE 'active' END, 'user',
       owner.id, at, at
FROM size, generate_series(0, accounts - 1) AS n JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0 ELSE n END,
     LATERAL (SELECT pg_temp.at(n, accounts) AS at OFFSET 0) AS t;

INSERT INTO transactions (account_id, id, amount, currency, type, status, reference, settles_at, created_at, updated_at)
SELECT owner.id, pg_temp.id('txn', at, n), 1 + n % 10000, 'USD',
       CASE WHEN old AND n % 3 = 0 THEN 'refund' WHEN pg_temp.random(n, 5) = 0 THEN 'credit' ELSE 'payment' END,
       CASE WHEN old AND n % 7 = 0 THEN 'failed' WHEN old AND n % 11 = 0 THEN 'canceled'
            WHEN pg_temp.random(n, 100) = 0 THEN 'pending' ELSE 'succeeded' END,
       CASE pg_temp.random(n, 4) WHEN 0 THEN 'order-' || n WHEN 1 THEN NULL ELSE 'subscription' END,
       NULL, at, at
FROM size, generate_series(0, transactions - 1) AS n
     JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0
                                  ELSE n * 7919 % (SELECT accounts FROM size) END,
     LATERAL (SELECT pg_temp.at(n, transactions) AS at, n < transactions / 100 AS old OFFSET 0) AS t;

INSERT INTO events (account_id, id, type, object_id, sequence, object, created_at)
SELECT account_id, 'evt' || substr(id, 4), 'transaction.' || CASE status WHEN 'pending' THEN 'created' ELSE status END, id, 1,
       json_build_object('id', id, 'account_id', account_id, 'amount', amount, 'currency', currency, 'status', status,
                         'created_at', time, 'type', type, 'reference', reference, 'metadata', '{}'::json,
                         'updated_at', time),
       created_at
FROM transactions,
     LATERAL (SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS time) AS t;

-- The entry of the first admin would be ahead of older ones.
ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
DELETE FROM audit_log;
ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only;

INSERT INTO audit_log (sequence, id, created_at, actor_id, actor_role, action, object_id, account_id, outcome, details, hash)
SELECT n + 1, pg_temp.id('aud', at, n), at,
       CASE WHEN old AND n % 3 = 0 THEN 'usr_rare' WHEN n % 4 = 1 THEN NULL ELSE 'usr_frequent' END, 'admin',
       CASE WHEN old AND n % 5 = 0 THEN 'account.suspend' ELSE 'account.read' END,
       CASE WHEN old AND n % 2 = 0 THEN 'acc_rare' WHEN n % 4 = 2 THEN NULL ELSE 'acc_frequent' END, owner.id,
       CASE WHEN old AND n % 7 = 0 THEN 'refused' WHEN pg_temp.random(n, 100) = 0 THEN 'failed' ELSE 'succeeded' END,
       '{}', '\x00'
FROM size, generate_series(0, others - 1) AS n
     JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0
                                  ELSE n * 7919 % (SELECT accounts FROM size) END,
     LATERAL (SELECT pg_temp.at(n, others) AS at, n < others / 50 AS old OFFSET 0) AS t;

UPDATE audit_log_head SET sequence = last.sequence, measured_sequence = last.sequence, latest_at = last.created_at, hash = '\x00'
FROM (SELECT sequence, created_at FROM audit_log ORDER BY sequence DESC LIMIT 1) AS last;

INSERT INTO payment_requests (account_id, id, amount, currency, customer_email, reference, secret, status, expires_at,
                              created_at, updated_at)
SELECT owner.id, pg_temp.id('pay', at, n), 1 + n % 10000, 'USD',
       CASE WHEN old AND n % 3 = 0 OR pg_temp.random(n, 2) = 0 THEN 'Frequent@Example.com' ELSE 'customer-' || n || '@example.com' END,
       CASE WHEN old AND n % 3 = 0 OR pg_temp.random(n, 2) = 1 THEN 'subscription' ELSE 'order-' || n END,
       md5(n::text), CASE WHEN old AND n % 7 = 0 THEN 'failed' WHEN old AND n % 11 = 0 THEN 'canceled'
                          WHEN pg_temp.random(n, 100) = 0 THEN 'pending' ELSE 'succeeded' END,
       at + interval '30 days', at, at
FROM size, generate_series(0, requests - 1) AS n
     JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0
                                  ELSE n * 7919 % (SELECT accounts FROM size) END,
     LATERAL (SELECT pg_temp.at(n, requests) AS at, n < requests / 100 AS old OFFSET 0) AS t;

INSERT INTO subscriptions (account_id, id, amount, currency, customer_email, "interval", reference, status, periods,
                           next_payment_at, created_at, updated_at)
SELECT owner.id, pg_temp.id('sub', at, n), 100, 'USD',
       CASE WHEN old OR pg_temp.random(n, 2) = 0 THEN 'Frequent@Example.com' ELSE 'customer-' || n || '@example.com' END,
       'month', CASE WHEN old OR pg_temp.random(n, 2) = 1 THEN 'subscription' ELSE 'order-' || n END,
       CASE WHEN old THEN 'canceled' ELSE 'active' END, 1, CASE WHEN old THEN NULL ELSE '2030-01-01'::timestamptz END, at, at
FROM size, generate_series(0, others - 1) AS n
     JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0
                                  ELSE n * 7919 % (SELECT accounts FROM size) END,
     LATERAL (SELECT pg_temp.at(n, others) AS at, n < others / 50 AS old OFFSET 0) AS t;

INSERT INTO unapplied_payments (account_id, id, payment_request_id, amount, currency, reason, status, attempts, round,
                                created_at, updated_at)
SELECT owner.id, pg_temp.id('unp', at, n), pg_temp.id('pay', at, n), 100, 'USD',
       CASE WHEN old AND n % 3 = 0 THEN 'canceled' WHEN n % 2 = 0 THEN 'amount_mismatch' ELSE 'already_paid' END,
       CASE WHEN old AND n % 2 = 0 THEN 'needs_attention' WHEN n % 100 = 0 THEN 'received' ELSE 'returned' END, 1, 1, at, at
FROM size, generate_series(0, others - 1) AS n
     JOIN owner ON owner.position = CASE WHEN n % 10 = 0 THEN 0
                                  ELSE n * 7919 % (SELECT accounts FROM size) END,
     LATERAL (SELECT pg_temp.at(n, others) AS at, n < others / 50 AS old OFFSET 0) AS t;

ANALYZE;
