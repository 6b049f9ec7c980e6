-- The statements of a settlement, one payment at a time: lock the account and the payment, write both, insert the entries.
SELECT account_id AS account, id AS payment FROM bench_due WHERE n = (SELECT nextval('bench_next_due')) \gset
BEGIN;
SELECT posted, entry_count AS count FROM accounts WHERE id = :account FOR UPDATE \gset
SELECT amount FROM transactions WHERE account_id = :account AND id = :payment AND status = 'pending' FOR UPDATE \gset
INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
  VALUES (:account, :count + 1, :payment, 'customer', :amount, 'USD', :posted::bigint + :amount::bigint, now(), '\x00'),
         (:account, :count + 2, :payment, 'clearing', -(:amount::bigint), 'USD', -(:posted::bigint + :amount::bigint), now(), '\x00');
UPDATE transactions SET status = 'succeeded', settles_at = NULL, updated_at = now() WHERE account_id = :account AND id = :payment;
UPDATE accounts SET posted = posted + :amount, pending_in = pending_in - :amount::bigint, entry_count = entry_count + 2, updated_at = now()
  WHERE id = :account;
COMMIT;
