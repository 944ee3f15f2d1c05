/** Whose call is made: a process of the simulation runs all functions, each of which has a role of its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionName } from '../../../cdk/names.ts';
import type { Role } from '../../build/roles.fixture.ts';
import { Violation } from '../invariants/rule.ts';

const running = new AsyncLocalStorage<FunctionName>();

/** All calls that `run` makes, and those that follow from them, are this function's. */
export const asFunction = <T>(name: FunctionName, run: () => T): T => running.run(name, run);

export const roleIn = ({ breaks }: { breaks(violation: unknown): void }): Role => ({
  of: () => running.getStore(),
  denied: (what) => breaks(new Violation('roles', what)),
});
