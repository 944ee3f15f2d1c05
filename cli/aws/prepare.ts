/** Preconditions of deploy and plan: a session, a deployable stack, and the context. */
import { withAccountLogging } from './account-logging.ts';
import { withConcurrency } from './concurrency.ts';
import { installationOf, nextContext } from './context.ts';
import { expectAlone } from './elsewhere.ts';
import type { DeploymentOptions } from './options.ts';
import { openSession, type Session } from './session.ts';
import { expectCallerAmong, expectTyped, expectWhole } from './settings.ts';
import {
  type CloudFormation,
  type Context,
  cloudFormation,
  deployedContext,
  expectDeployable,
  findStack,
  monitoringStackOf,
  stackOf,
  withTemplate,
} from './stack.ts';

export interface Prepared {
  session: Session;
  client: CloudFormation;
  installation: string;
  context: Context;
  /** Whether a stack exists. */
  isDeployed: boolean;
}

export const prepare = async (given: DeploymentOptions): Promise<Prepared> => {
  const { context: typed = {}, withoutMe = false, ...options } = given;
  const installation = installationOf(typed);
  expectTyped(typed);
  const session = await openSession(options);
  const client = cloudFormation();
  const [stack, monitoring] = [stackOf(installation), monitoringStackOf(installation)];
  const deployed = await findStack(client, stack);
  expectDeployable(deployed, stack, session.region);
  expectDeployable(await findStack(client, monitoring), monitoring, session.region);
  const isDeployed = withTemplate(deployed?.StackStatus);
  if (!isDeployed && !session.isEmulated) await expectAlone(installation, session.region);
  const before = isDeployed ? await deployedContext(client, stack) : {};
  const next = { ...nextContext(before, typed, session.caller), installation };
  const logged = await withAccountLogging(session, next, { typed, isDeployed });
  const context = await withConcurrency(session, logged, { typed, deployed: isDeployed ? before : undefined });
  expectWhole(context);
  if (!withoutMe) expectCallerAmong(before, context, session.caller);
  return { session, client, installation, context, isDeployed };
};
