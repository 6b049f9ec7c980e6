export { HostedCheckouts } from './application/hosted-checkouts.service';
