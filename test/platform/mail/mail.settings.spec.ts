import { mailSettings } from '../../../src/platform/mail/mail.settings';
import { core } from '../../support/core';

describe('The mail settings', () => {
  const read = (settings: NodeJS.ProcessEnv): unknown => core.readSettings(settings).of(mailSettings);

  it('name the server, and whom mail comes from', () => {
    expect(read({})).toBeNull();
    expect(read({ MAIL_FROM: 'a@example.com' })).toBeNull();
    expect(read({ SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'a@example.com' })).toEqual({
      smtpUrl: 'smtps://mail.example',
      from: 'a@example.com',
    });
    expect(read({ SMTP_URL: 'smtp://shop%40example.com:x@mail.example:587?requireTLS=true' })).toMatchObject({
      from: 'shop@example.com',
    });
  });

  it.each([
    ['SMTP_URL', { SMTP_URL: 'https://user:canary@mail.example' }],
    ['SMTP_URL', { SMTP_URL: 'canary' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://user:canary@mail.example?logger=true&debug=true' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://user:%canary@mail.example' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://user:canary@mail.example' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'canary' }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Canary <canary@example.com>' }],
  ])('are rejected by name and never quoted: %s %j', (name, settings) => {
    let message = '';
    try {
      read(settings);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(new RegExp(`^${name}: `));
    expect(message.toLowerCase()).not.toContain('canary');
  });
});
