import { defineService } from 'countinghouse';
import { payouts } from './payouts.module';

void defineService({ extensions: [payouts] }).main();
