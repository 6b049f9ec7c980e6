-- The statements of a credit, one by one: lock the account, insert the transaction and both entries, update the account.
\set n random(1, :accounts)
BEGIN;
SELECT id AS account, posted, entry_count AS count FROM accounts WHERE id = (SELECT id FROM bench_accounts WHERE n = :n) FOR UPDATE \gset
INSERT INTO transactions (account_id, id, amount, currency, type, status, reference, metadata, created_at, updated_at)
  VALUES (:account, 'txn_' || lpad(nextval('bench_ids')::text, 26, '0'), 100, 'USD', 'credit', 'succeeded', 'bench', '{}', now(), now());
INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
  VALUES (:account, :count + 1, 'txn_' || lpad(currval('bench_ids')::text, 26, '0'), 'customer', 100, 'USD', :posted + 100, now(), '\x00'),
         (:account, :count + 2, 'txn_' || lpad(currval('bench_ids')::text, 26, '0'), 'clearing', -100, 'USD', -(:posted + 100), now(), '\x00');
UPDATE accounts SET posted = posted + 100, entry_count = entry_count + 2, last_id_at = now(), updated_at = now() WHERE id = :account;
COMMIT;
