import 'reflect-metadata';
import type { ServiceModule } from '../platform/service-module';
import { runCommand } from './command-line';
import { Composition } from './composition';
import { Service } from './service';

export interface ServiceDefinition {
  /** Modules beside those of the core, which they may import. */
  readonly extensions?: readonly ServiceModule[];
}

/** A service and its command line. */
class ServiceProgram extends Service {
  /** Runs the command that the arguments name, by default `serve`, and sets the exit code of the process. */
  main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
    return runCommand(() => this, args);
  }
}

/**
 * Defines a service: the modules of Countinghouse and its extensions. `defineService().main()` is the whole program.
 * A name (id prefix, error code, tag, event type, health check, setting, table or migration) that is malformed or declared twice fails every command.
 */
export function defineService({ extensions = [] }: ServiceDefinition = {}): ServiceProgram {
  return new ServiceProgram(() => new Composition(extensions));
}
