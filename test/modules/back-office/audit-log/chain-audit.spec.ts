import {
  AuditEntry,
  chainHash,
  digestEntry,
  KeptChanges,
  NewAuditEntry,
  newAuditEntry,
  newChanges,
  SealedEntry,
} from '../../../../src/modules/back-office/audit-log/audit-entry';
import { ChainAudit } from '../../../../src/modules/back-office/audit-log/audit-log-verification';
import { systemActor } from '../../../../src/platform/audit/audit-trail';

const noon = new Date('2026-03-01T12:00:00.000Z');
const NOTHING = Buffer.alloc(0);

function aChain(length: number): SealedEntry[] {
  const chain: SealedEntry[] = [];
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const entry = newAuditEntry(systemActor, { action: 'login', objectId: `usr_${sequence}` }, noon);
    const hash = chainHash(digestEntry(entry), chain.at(-1)?.hash ?? NOTHING);
    chain.push({ ...entry, sequence, hash });
  }
  return chain;
}

const [first, second, third] = aChain(3) as [SealedEntry, SealedEntry, SealedEntry];
const changed = (entry: SealedEntry): SealedEntry => ({ ...entry, reason: 'another' });

/** The faults of a chain whose receipts match, without the prefix that each has. */
function faultsOf(chain: readonly SealedEntry[], head = chain.at(-1) ?? null): string[] {
  const audit = new ChainAudit();
  for (const entry of chain) audit.entry(entry);
  for (const entry of chain) audit.receipt(entry.id, digestEntry(entry), entry);
  expect(audit.entries).toBe(chain.length);
  return audit.end(head).map((fault) => fault.replace('audit_log: ', ''));
}

describe('An entry of the audit log', () => {
  it('has what is known of the actor and the event', () => {
    const device = { ip: '203.0.113.7', userAgent: 'a browser', requestId: 'req_1' };
    const actor = { subjectId: 'usr_1', role: 'admin', sessionId: 'ses_1', device };
    const event = { action: 'user.suspend', objectId: 'usr_2', accountId: 'acc_1' };
    const said = { outcome: 'refused', reason: 'Asked.', details: { a: 1 } } as const;
    const of = { actorId: 'usr_1', actorRole: 'admin', sessionId: 'ses_1', createdAt: noon };
    expect(newAuditEntry(actor, { ...event, ...said }, noon)).toEqual({
      id: expect.stringMatching(/^aud_/),
      ...of,
      ...event,
      ...said,
      ...device,
    });
    expect(newAuditEntry(systemActor, { action: 'login', objectId: null }, noon)).toMatchObject({
      accountId: null,
      outcome: 'succeeded',
      reason: null,
      details: {},
      ip: null,
      userAgent: null,
      requestId: null,
    });
  });

  it('has nothing beside it without changes', () => {
    const event = { action: 'login', objectId: null };
    expect([newChanges(event), newChanges({ ...event, changes: [] })]).toEqual([null, null]);
  });

  it('has another digest with any other member', () => {
    const entry = newAuditEntry(systemActor, { action: 'login', objectId: null }, noon);
    const digest = digestEntry(entry);
    for (const member of Object.keys(entry) as (keyof NewAuditEntry)[]) {
      const other = member === 'createdAt' ? new Date(0) : 'another';
      expect([member, digestEntry({ ...entry, [member]: other }).equals(digest)]).toEqual([member, false]);
    }
  });
});

describe('The audit of the chain', () => {
  it.each<[string, readonly SealedEntry[], { sequence: number; hash: Buffer } | null, string[]]>([
    ['a sound chain', [first, second, third], third, []],
    ['no head', [first], null, ['the head of the chain is missing']],
    ['entries missing in the middle', [first, third], third, ['entry 2 is missing']],
    ['entries missing at the start', [third], third, ['entries 1 to 2 are missing']],
    ['entries missing at the end', [first], third, ['entries 2 to 3 are missing']],
    [
      'an older head with the newest hash',
      [first, second],
      { sequence: 1, hash: second.hash },
      ['the head of the chain does not match entry 2'],
    ],
    ['an older head', [first, second], first, ['the head of the chain does not match entry 2']],
    [
      'a head with another hash',
      [first],
      { sequence: 1, hash: Buffer.alloc(32) },
      ['the head of the chain does not match entry 1'],
    ],
    [
      'a changed entry, once',
      [first, changed(second), third],
      third,
      [`entry 2 (${second.id}): its content does not match its hash`],
    ],
  ])('finds %s', (_, chain, head, faults) => {
    expect(faultsOf(chain, head as SealedEntry)).toEqual(faults);
  });

  it('compares entries with their receipts, where there are any', () => {
    const audit = new ChainAudit();
    audit.entry(first);
    audit.entry(second);
    audit.receipt(second.id, digestEntry(first), second);
    audit.receipt('aud_9', digestEntry(first), null);
    expect(audit.end(second)).toEqual([
      `audit_log: entry 2 (${second.id}): its content does not match its receipt`,
      'audit_log: entry aud_9 was recorded and is missing',
    ]);
  });

  it('compares what waits to be sealed with its digest and its receipt', () => {
    const audit = new ChainAudit();
    const waiting = [first, second, third].map((entry) => ({ ...entry, sequence: null }));
    const [sound, altered, forged] = waiting as [AuditEntry, AuditEntry, AuditEntry];
    const unrecorded = newAuditEntry(systemActor, { action: 'login', objectId: null }, noon);
    audit.waiting({ ...sound, digest: digestEntry(sound) });
    audit.waiting({ ...altered, digest: digestEntry(sound) });
    audit.waiting({ ...forged, digest: digestEntry(forged) });
    audit.waiting({ ...unrecorded, digest: digestEntry(unrecorded) });
    for (const entry of waiting) audit.receipt(entry.id, digestEntry(sound), entry);
    expect(audit.unsealed).toBe(4);
    const fault = ({ id }: { id: string }, of: string) =>
      `audit_log: the unsealed entry ${id}: its content does not match its ${of}`;
    expect(audit.end({ sequence: 0, hash: NOTHING })).toEqual([
      fault(altered, 'digest'),
      fault(forged, 'receipt'),
      fault(unrecorded, 'receipt'),
    ]);
  });

  it('counts erased changes, and compares others with the hash in their entry', () => {
    const kept = newChanges({
      action: '',
      objectId: null,
      changes: [{ member: 'name', from: 'Ada', to: 'Eve' }],
    })!;
    const changedEntry = newAuditEntry(systemActor, { action: 'login', objectId: null }, noon, kept);
    const audit = new ChainAudit();
    const waiting = (entry: NewAuditEntry, beside: KeptChanges | null) => {
      const digest = digestEntry(entry);
      audit.waiting({ ...entry, digest }, beside);
      audit.receipt(entry.id, digest, { ...entry, sequence: null, hash: null });
    };
    const erased = { salt: null, changes: null };
    const inPart = [
      { ...kept, changes: null },
      { ...kept, salt: null },
    ];
    for (const beside of [kept, erased, null, { ...kept, changes: [] }, ...inPart])
      waiting(changedEntry, beside);
    waiting(first, erased);
    expect([audit.unsealed, audit.erased]).toEqual([7, 1]);
    expect(audit.end({ sequence: 0, hash: NOTHING })).toEqual([
      `audit_log: entry ${changedEntry.id}: its old and new values are missing`,
      ...Array<string>(3).fill(
        `audit_log: entry ${changedEntry.id}: its old and new values do not match their hash`,
      ),
      `audit_log: entry ${first.id}: its old and new values do not match their hash`,
    ]);
  });

  it('keeps the first hundred faults', () => {
    const audit = new ChainAudit();
    for (let count = 1; count <= 200; count += 1) audit.receipt(`aud_${count}`, NOTHING, null);
    expect(audit.end(null)).toHaveLength(100);
  });
});
