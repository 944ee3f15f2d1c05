/** Options that commands on deployments share. */
import type { SessionOptions } from './session.ts';
import type { Context } from './stack.ts';

export interface DeploymentOptions extends SessionOptions {
  context?: Context;
  /** The caller need not be among the administrators. */
  withoutMe?: boolean;
}
