export { intervals, startOfPeriod } from './domain/schedule';
