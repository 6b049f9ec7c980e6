import { DAY_MS } from '../../../../src/kernel/clock';
import {
  Approval,
  ApprovalKind,
  ApprovalKinds,
  approvalTypes,
  describeAction,
} from '../../../../src/modules/back-office/approvals/approval';

const noon = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number): Date => new Date(noon.getTime() + ms);
const expiry = after(7 * DAY_MS);

const anApproval = (): Approval =>
  Approval.create(
    {
      type: 'close_account',
      accountId: 'acc_1',
      objectId: 'acc_1',
      details: {},
      reason: 'As agreed.',
      requestedBy: 'usr_1',
    },
    noon,
  );

const failsWith = (code: string) => expect.objectContaining({ code });

describe('An approval', () => {
  it('is pending for seven days', () => {
    const approval = anApproval();
    expect(approval).toMatchObject({
      id: expect.stringMatching(/^apr_/),
      status: 'pending',
      decidedBy: null,
      rejectionReason: null,
      createdAt: noon,
      updatedAt: noon,
      expiresAt: expiry,
    });
    expect([approval.isDue(after(7 * DAY_MS - 1)), approval.isDue(expiry)]).toEqual([false, true]);
    approval.expire(expiry);
    expect(approval.isDue(expiry)).toBe(false);
  });

  it('can be approved by another admin until it expires', () => {
    const approval = anApproval();
    expect(() => approval.assertApprovableBy('usr_1', noon)).toThrow(failsWith('forbidden'));
    expect(() => approval.assertApprovableBy('usr_2', after(7 * DAY_MS - 1))).not.toThrow();
    expect(() => approval.assertApprovableBy('usr_2', expiry)).toThrow(failsWith('conflict'));
    approval.approve('usr_2', after(5));
    expect(() => approval.assertApprovableBy('usr_3', after(6))).toThrow(failsWith('conflict'));
  });

  it.each([
    ['approved', 'usr_2', null, (approval: Approval) => approval.approve('usr_2', after(5))],
    ['rejected', 'usr_2', 'Why?', (approval: Approval) => approval.reject('usr_2', 'Why?', after(5))],
    ['expired', null, null, (approval: Approval) => approval.expire(after(5))],
  ] as const)('is %s once', (status, decidedBy, rejectionReason, decide) => {
    const approval = anApproval();
    decide(approval);
    expect(approval).toMatchObject({ status, decidedBy, rejectionReason, updatedAt: after(5) });
    expect(() => decide(approval)).toThrow(failsWith('conflict'));
    expect(approval.takeEvents()).toEqual([
      { type: 'approval.created', accountId: null },
      { type: `approval.${status}`, accountId: null },
    ]);
  });

  it.each([
    ['usr_01k9x8v2t4e6rb3m5n7p9q1s0w', null],
    ['acc_01k9x8v2t4e6rb3m5n7p9q1s0w', 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w'],
  ])('about %s stands in the audit log of the account %s', (owner, accountId) => {
    const approval = Object.assign(anApproval(), { accountId: owner });
    expect(describeAction('approval.approve', approval, 'Why?')).toEqual({
      action: 'approval.approve',
      objectId: approval.id,
      accountId,
      reason: 'Why?',
      details: { type: 'close_account', about: 'acc_1' },
    });
  });

  it('knows who decided it, and how', () => {
    const approval = anApproval();
    approval.approve('usr_2', after(5));
    expect(approval.wasDecidedBy('usr_2', 'approved')).toBe(true);
    expect(approval.wasDecidedBy('usr_3', 'approved')).toBe(false);
    expect(approval.wasDecidedBy('usr_2', 'rejected')).toBe(false);
  });
});

describe('The service', () => {
  it('starts only if a module carries out every type of approval', () => {
    const kinds = new ApprovalKinds();
    for (const name of approvalTypes) {
      expect(() => kinds.onApplicationBootstrap()).toThrow(`"${name}" is not registered`);
      kinds.register({ name } as ApprovalKind);
    }
    kinds.onApplicationBootstrap();
  });
});
