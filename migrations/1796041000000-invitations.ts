import { MigrationInterface, QueryRunner } from 'typeorm';

/** Emails that invite users and accounts, and their links. */
export class Invitations1796041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, , after] of CHECKS) await replaceCheck(queryRunner, table, after);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "security_emails" WHERE kind = 'invitation'`);
    await queryRunner.query(`DELETE FROM "password_resets" WHERE purpose = 'invitation'`);
    for (const [table, before] of CHECKS) await replaceCheck(queryRunner, table, before);
  }
}

type Check = readonly [name: string, expression: string];

const CHECKS: readonly (readonly [table: string, before: Check, after: Check])[] = [
  [
    'security_emails',
    [
      'CHK_9c1ac3164d03537ea87ee60205',
      "kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification')",
    ],
    [
      'CHK_20b81c747fd5050b73bdaeaea6',
      "kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification', 'invitation')",
    ],
  ],
  [
    'password_resets',
    ['CHK_836bb89bb3f8ecdc4948a78485', "purpose IN ('password_reset', 'email_verification')"],
    ['CHK_81a08a4845479e2b10f9630251', "purpose IN ('password_reset', 'invitation', 'email_verification')"],
  ],
];

async function replaceCheck(queryRunner: QueryRunner, table: string, [name, expression]: Check) {
  const others = CHECKS.filter(([other]) => other === table).flatMap(([, before, after]) => [before, after]);
  for (const [other] of others)
    await queryRunner.query(`ALTER TABLE "${table}" DROP CONSTRAINT IF EXISTS "${other}"`);
  await queryRunner.query(`ALTER TABLE "${table}" ADD CONSTRAINT "${name}" CHECK (${expression})`);
}
