import { Refusal } from '../../src/kernel/refusal';
import { Account } from '../../src/modules/accounts/domain/account';
import { AccountClosing } from '../../src/modules/accounts/domain/account-closing';
import { Tx } from '../../src/platform/database/tx';

type Member = AccountClosing['members'][number];

const noon = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:00:05.000Z');
const tx = {} as Tx;

describe('Closing an account (interface 3.2)', () => {
  it('asks all members first, then closes, then lets all carry it out, in the declared order', async () => {
    const story: string[] = [];
    const account = anAccount();
    await closingWith(telling('payment-requests', story), telling('transactions', story)).run(
      tx,
      account,
      later,
    );
    expect(story).toEqual([
      'transactions: veto? active',
      'payment-requests: veto? active',
      'transactions: carry out, closed',
      'payment-requests: carry out, closed',
    ]);
    expect(account).toMatchObject({ status: 'closed', closedAt: later, updatedAt: later });
  });

  it('is refused by the veto of any member, and then nothing has happened', async () => {
    const story: string[] = [];
    const account = anAccount();
    const vetoing: Member = { ...telling('payment-requests', story), veto: refuse('active_subscriptions') };
    await expect(
      closingWith(vetoing, telling('transactions', story)).run(tx, account, later),
    ).rejects.toMatchObject({
      code: 'active_subscriptions',
    });
    expect(story).toEqual(['transactions: veto? active']);
    expect(account).toEqual(Object.assign(anAccount(), { id: account.id }));
  });

  it('needs no veto of a member', async () => {
    const silent: Member = { name: 'transactions', carryOut: async () => undefined };
    const account = anAccount();
    await closingWith(silent, telling('payment-requests', [])).run(tx, account, later);
    expect(account.status).toBe('closed');
  });

  it('happens once', async () => {
    const story: string[] = [];
    const closing = closingWith(telling('transactions', story), telling('payment-requests', story));
    const account = anAccount();
    await closing.run(tx, account, noon);
    story.length = 0;
    await expect(closing.run(tx, account, later)).rejects.toMatchObject({ code: 'conflict' });
    expect(story.filter((line) => line.includes('carry out'))).toEqual([]);
  });

  it('hands every member the same transaction, account and time', async () => {
    const account = anAccount();
    const veto = jest.fn(async () => undefined);
    const carryOut = jest.fn(async () => undefined);
    await closingWith({ name: 'transactions', veto, carryOut }, telling('payment-requests', [])).run(
      tx,
      account,
      later,
    );
    expect(veto).toHaveBeenCalledWith(tx, account);
    expect(carryOut).toHaveBeenCalledWith(tx, account, later);
  });
});

function closingWith(...members: Member[]): AccountClosing {
  const closing = new AccountClosing();
  // A member may have nothing to refuse and nothing to carry out.
  for (const member of [...members, { name: 'subscriptions' }]) closing.join(member);
  closing.freeze();
  return closing;
}

/** A member that writes down what is asked of it, and how the account stood then. */
function telling(name: string, story: string[]): Member {
  return {
    name,
    veto: async (_, { status }) => void story.push(`${name}: veto? ${status}`),
    carryOut: async (_, { status }) => void story.push(`${name}: carry out, ${status}`),
  };
}

function refuse(code: 'active_subscriptions'): () => Promise<never> {
  return async () => {
    throw new Refusal(code, 'Cancel the subscriptions first.');
  };
}

function anAccount(): Account {
  return Account.create({ email: 'books@example.com', name: 'Lovelace Ltd', type: 'business' }, noon);
}
