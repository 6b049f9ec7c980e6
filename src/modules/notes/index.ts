export { notes } from './notes.module';
