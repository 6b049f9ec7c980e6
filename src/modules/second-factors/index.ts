export { secondFactors } from './second-factors.module';
