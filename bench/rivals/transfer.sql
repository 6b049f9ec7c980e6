-- The statements of a transfer, one by one: lock both accounts in the order of their ids, insert both sides and all entries, update both.
-- With :receivers = 1 all transfers reach one account, as fees do.
\set n random(2, :accounts)
\set m random(1, :receivers)
\set m case when :m = :n then 1 else :m end
\set first least(:n, :m)
\set last greatest(:n, :m)
BEGIN;
SELECT id AS giver, posted AS posted_n, entry_count AS count_n FROM accounts WHERE id = (SELECT id FROM bench_accounts WHERE n = :last) FOR UPDATE \gset
SELECT id AS receiver, posted AS posted_m, entry_count AS count_m FROM accounts WHERE id = (SELECT id FROM bench_accounts WHERE n = :first) FOR UPDATE \gset
INSERT INTO transfers (account_id, id, direction, amount, currency, status, from_account_id, from_name, parts, reference, capture, created_at, updated_at)
  VALUES (:giver, 'trf_' || lpad(nextval('bench_ids')::text, 26, '0'), 'out', 1, 'USD', 'succeeded', :giver, 'Bench', '[]', 'bench', 'now', now(), now()),
         (:receiver, 'trf_' || lpad(currval('bench_ids')::text, 26, '0'), 'in', 1, 'USD', 'succeeded', :giver, 'Bench', '[]', 'bench', 'now', now(), now());
INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
  VALUES (:giver, :count_n + 1, 'trf_' || lpad(currval('bench_ids')::text, 26, '0'), 'customer', -1, 'USD', :posted_n - 1, now(), '\x00'),
         (:giver, :count_n + 2, 'trf_' || lpad(currval('bench_ids')::text, 26, '0'), 'clearing', 1, 'USD', -(:posted_n - 1), now(), '\x00'),
         (:receiver, :count_m + 1, 'trf_' || lpad(currval('bench_ids')::text, 26, '0'), 'customer', 1, 'USD', :posted_m + 1, now(), '\x00'),
         (:receiver, :count_m + 2, 'trf_' || lpad(currval('bench_ids')::text, 26, '0'), 'clearing', -1, 'USD', -(:posted_m + 1), now(), '\x00');
UPDATE accounts SET posted = posted - 1, entry_count = entry_count + 2, last_id_at = now(), updated_at = now() WHERE id = :giver;
UPDATE accounts SET posted = posted + 1, entry_count = entry_count + 2, last_id_at = now(), updated_at = now() WHERE id = :receiver;
COMMIT;
