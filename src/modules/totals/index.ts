export { totals } from './totals.module';
