/** Runtimes of functions that wake the installation or put it to sleep, built once from the environment. */
import { once } from '../../machinery/once.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { type DispatchingEnvironment, dispatchingEnvironment } from '../environment.ts';
import { foundationOf } from './aws-ports.ts';
import { type Switches, switchesOf } from './switches.ts';

export const switching = <T>(
  create: (foundation: Foundation, switches: Switches, environment: DispatchingEnvironment) => T,
): (() => T) =>
  once(() => {
    const environment = dispatchingEnvironment(process.env);
    const foundation = foundationOf(environment);
    return create(foundation, switchesOf(environment, foundation), environment);
  });
