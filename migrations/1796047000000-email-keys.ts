import { MigrationInterface, QueryRunner } from 'typeorm';

/** See `emailKey` in text.ts. */
const KEY = `replace(normalize(email_key, NFC), 'ς', 'σ')`;

/**
 * Emails are compared without regard to the two small forms of a Greek sigma, and letters without a large form are composed.
 * Of several that have become the same, one is found from now on, and an admin changes the others. Until the upgrade is
 * complete, the previous release does not find the emails whose key changes.
 */
export class EmailKeys1796047000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE "credentials" AS own SET email_key = changed.key
       FROM (SELECT DISTINCT ON (kind, ${KEY}) subject_id, ${KEY} AS key FROM "credentials"
             WHERE email_key <> ${KEY} ORDER BY kind, ${KEY}, subject_id) AS changed
       WHERE own.subject_id = changed.subject_id AND NOT EXISTS (
         SELECT FROM "credentials" AS other WHERE other.kind = own.kind AND other.email_key = changed.key)`,
    );
  }

  async down(): Promise<void> {
    // Which form a letter had is not known.
  }
}
