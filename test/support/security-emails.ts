import { TestService } from './service';
import { Arrived, SmtpServer } from './smtp';
import { until } from './until';

/** Sends what is due, and waits until that many emails have arrived at the address and none is left to send. */
export async function emailsTo(
  { smtp, service }: { smtp: SmtpServer; service: TestService },
  address: string,
  count: number,
): Promise<Arrived[]> {
  await sendDue(service, () => smtp.to(address).length >= count);
  return smtp.to(address);
}

/** Like `emailsTo`, but for links to verify the address. */
export async function verificationLinksTo(
  { smtp, service }: { smtp: SmtpServer; service: TestService },
  address: string,
  count: number,
): Promise<string[]> {
  await sendDue(service, () => smtp.verificationsTo(address).length >= count);
  return smtp
    .verificationsTo(address)
    .map(({ text }) => /https?:\/\/\S+\/email-verification\/[\w-]{43}$/m.exec(text ?? '')![0]);
}

async function sendDue(service: TestService, haveArrived: () => boolean): Promise<void> {
  await service.runDueTasks();
  await until(haveArrived);
  await until(async () => {
    const [row] = await service.sql<{ left: string }>(
      `SELECT (SELECT count(*) FROM security_emails)
         + (SELECT count(*) FROM payment_emails WHERE due_at IS NOT NULL)
         + (SELECT count(*) FROM webhook_endpoints WHERE notice_due_at IS NOT NULL) AS left`,
    );
    return row!.left === '0';
  });
}

/** The token at the end of the only link in an email. */
export function tokenIn(email: Arrived): string {
  const tokens = tokensIn(email);
  if (tokens.length !== 1) throw new Error(`The email has ${tokens.length} links.`);
  return tokens[0]!;
}

/** The tokens at the end of the links in an email. */
export function tokensIn({ text }: Arrived): string[] {
  return [...(text ?? '').matchAll(/\/password-reset\/([\w-]{43})$/gm)].map(([, token]) => token!);
}
