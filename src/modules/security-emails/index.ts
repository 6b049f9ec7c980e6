export { securityEmails } from './security-emails.module';
