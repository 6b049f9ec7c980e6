#!/usr/bin/env node
import { defineService } from './service/define-service';

void defineService().main();
