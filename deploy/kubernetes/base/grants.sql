-- The rights of the role with which the service runs, once, before or after the migrations, as a superuser or the owner:
--   kubectl cnpg psql -n countinghouse countinghouse-database -- countinghouse < deploy/kubernetes/base/grants.sql
-- It reads and writes rows; it owns no table, so it cannot drop one or disable the triggers that protect the journal.
ALTER DEFAULT PRIVILEGES FOR ROLE countinghouse_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO countinghouse;
ALTER DEFAULT PRIVILEGES FOR ROLE countinghouse_owner IN SCHEMA public
  GRANT USAGE, SELECT ON SEQUENCES TO countinghouse;
GRANT USAGE ON SCHEMA public TO countinghouse;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO countinghouse;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO countinghouse;
