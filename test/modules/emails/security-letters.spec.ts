import { EmailedLinks, IssuedLink } from '../../../src/modules/auth';
import { SecurityLetters } from '../../../src/modules/emails/security-letters.service';
import { SecurityEmail } from '../../../src/modules/emails/due-emails';
import { newId } from '../../../src/kernel/ids';

const NOW = new Date('2026-01-31T09:30:00.000Z');
const ACCOUNT = newId('acc', NOW);

/** The email with a link to verify `ada@example.com`, of an account that had the other email when it was read. */
function composeVerification(emailAsRead: string) {
  const subject = {
    kind: 'account' as const,
    id: ACCOUNT,
    email: emailAsRead,
    name: null,
    isEmailVerified: false,
    isInvited: false,
  };
  const link: IssuedLink = { subject, link: 'https://pay.example.com/email-verification/token' };
  const links: Pick<EmailedLinks, 'issueVerification'> = { issueVerification: async () => link };
  const letters = new SecurityLetters(
    ...([null, null, links, null] as unknown as ConstructorParameters<typeof SecurityLetters>),
  );
  const credential = { emailKey: 'ada@example.com', subjectId: ACCOUNT };
  return letters.compose(SecurityEmail.toSubject('email_verification', credential, {}, NOW), NOW);
}

describe('A link to verify an email', () => {
  it.each([
    ['as its owner writes it', 'Ada@Example.com', 'Ada@Example.com'],
    ['also when the account had another one a moment before', 'mallory@example.com', 'ada@example.com'],
  ])('is sent to that email, %s', async (_, emailAsRead, to) => {
    expect(await composeVerification(emailAsRead)).toMatchObject({
      to,
      text: expect.stringContaining(to),
    });
  });
});
