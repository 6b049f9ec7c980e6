// What clients were told about their creations, compared with the rows of the database.

/** Every creation has a key, which is also its reference; a client repeats it until it is acknowledged. */
export class Accounting {
  /** The bodies of all acknowledgements of each key. */
  acknowledged = new Map();
  /** Keys that were sent and not acknowledged yet. */
  open = new Set();
  /** Responses other than 201 and 503, which no failover may cause. */
  unexpected = [];
  unavailable = 0;

  /** @param status the status of the response, or null without a complete one */
  record(key, status, text) {
    if (status === 201) {
      this.open.delete(key);
      this.acknowledged.set(key, [...(this.acknowledged.get(key) ?? []), text]);
    } else if (status === 503 || status === null) {
      this.unavailable += 1;
    } else {
      this.unexpected.push(`${status} ${text}`);
    }
  }

  /** @param rows `{id, reference}` of all creations. @returns counts, which must all be 0 */
  judge(rows) {
    const idsOf = new Map();
    for (const { id, reference } of rows) idsOf.set(reference, [...(idsOf.get(reference) ?? []), id]);
    const entries = [...this.acknowledged];
    return {
      lost: entries.filter(([key, texts]) =>
        texts.some((text) => !(idsOf.get(key) ?? []).includes(JSON.parse(text).id)),
      ).length,
      doubled: rows.length - idsOf.size,
      invented: rows.filter(({ reference }) => !this.acknowledged.has(reference) && !this.open.has(reference))
        .length,
      changed: entries.filter(([, texts]) => new Set(texts).size > 1).length,
      unexpected: this.unexpected.length,
    };
  }
}
