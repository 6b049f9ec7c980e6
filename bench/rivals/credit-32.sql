-- Credits 32 accounts with one statement (see bench_credit).
\set n random(1, :accounts - 31)
SELECT bench_credit(ARRAY(SELECT id FROM bench_accounts WHERE n BETWEEN :n AND :n + 31));
