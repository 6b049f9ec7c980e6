import fc from 'fast-check';
import { Client } from 'pg';
import { hashOfText } from '../../src/kernel/hash-of-text';
import { newId } from '../../src/kernel/ids';
import { databaseUrl } from '../support/databases';

it('is what PostgreSQL computes, for texts of any length', async () => {
  const sampled = fc
    .sample(fc.string({ unit: 'binary', maxLength: 60 }), 500)
    .map((text) => text.replaceAll('\0', ''));
  const texts = [
    ...Array.from({ length: 40 }, (_, length) => 'é'.repeat(length)),
    newId('acc', new Date()),
    ...sampled,
  ];
  const client = new Client({ connectionString: databaseUrl('postgres') });
  await client.connect();
  try {
    const { rows } = await client.query<{ hash: number }>(
      'SELECT hashtext(text) AS hash FROM unnest($1::text[]) WITH ORDINALITY AS given (text, n) ORDER BY n',
      [texts],
    );
    expect(texts.map(hashOfText)).toEqual(rows.map(({ hash }) => hash));
  } finally {
    await client.end();
  }
});
