-- Adds the journal of the settled payments and credits that fill.sql has created. The hashes are not those of the service,
-- so the audit of the ledger would report them. Entries are stored in the order of their times, as the service adds them,
-- and added up by day, as its periodic task does, which also counts by hour how transactions ended.

CREATE TEMPORARY TABLE posting AS
SELECT account_id, id, amount, created_at, 2 * row_number() OVER in_order AS number, sum(amount) OVER in_order AS balance
FROM transactions WHERE status = 'succeeded' AND type <> 'refund'
WINDOW in_order AS (PARTITION BY account_id ORDER BY id ROWS UNBOUNDED PRECEDING);

INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
SELECT account_id, number - CASE leg WHEN 'customer' THEN 1 ELSE 0 END, id, leg, sign * amount, 'USD', sign * balance,
       created_at, '\x00'
FROM posting, (VALUES ('customer', 1), ('clearing', -1)) AS legs (leg, sign)
ORDER BY created_at, account_id, number;

INSERT INTO daily_totals (currency, day, total_in, total_out, entry_count)
SELECT currency, (posted_at AT TIME ZONE 'UTC')::date, sum(amount), 0, count(*)
FROM journal_entries WHERE leg = 'customer' GROUP BY 1, 2;

UPDATE daily_totals_head SET rolled_until = max + interval '1 millisecond' FROM (SELECT max(posted_at) FROM journal_entries) AS last;

INSERT INTO hourly_outcomes (hour, currency, type, outcome, reason, count, amount)
SELECT date_bin('1 hour', created_at, '1970-01-01T00:00:00Z'), currency, type, status, '', count(*), sum(amount)
FROM transactions WHERE status IN ('succeeded', 'failed') GROUP BY 1, 2, 3, 4;

UPDATE hourly_outcomes_head SET summed_until = max + interval '1 hour' FROM (SELECT max(hour) FROM hourly_outcomes) AS last;

UPDATE accounts SET posted = last.balance, entry_count = last.number, chain_head = '\x00'
FROM (SELECT DISTINCT ON (account_id) account_id, balance, number FROM posting ORDER BY account_id, number DESC) AS last
WHERE id = account_id;
