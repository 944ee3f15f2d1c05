/** Preconditions of deploy and plan: a session, a deployable stack, and the context. */
import { mergedContext } from '../../cdk/context.ts';
import { withAccountLogging } from './account-logging.ts';
import { withConcurrency } from './concurrency.ts';
import { installationOf } from './context.ts';
import { expectUnusedElsewhere } from './elsewhere.ts';
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
  /** The context of what is deployed; absent before the first deployment. */
  before?: Context;
  /** The context for the CDK, whose app keeps deployed values: also what returns to its default. */
  given: Context;
  /** Whether the deployment gives API Gateway a logging role that the user did not ask for. */
  makesLoggingRole: boolean;
  /** Whether a stack exists. */
  isDeployed: boolean;
}

/** Without administrators, the caller becomes one. */
export const nextContext = (deployed: Context, typed: Context, caller: string): Context => ({
  administrators: caller,
  ...mergedContext(deployed, typed),
});

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
  if (!isDeployed && !session.isEmulated) await expectUnusedElsewhere(installation, session.region);
  const before = isDeployed ? await deployedContext(client, stack) : undefined;
  const next = { ...nextContext(before ?? {}, typed, session.caller), installation };
  const logged = await withAccountLogging(session, next, { typed, isDeployed });
  const context = await withConcurrency(session, logged, { typed, deployed: before });
  expectWhole(context);
  if (!withoutMe) expectCallerAmong(before ?? {}, context, session.caller);
  const makesLoggingRole = logged !== next;
  return {
    session,
    client,
    installation,
    context,
    ...(before && { before }),
    given: { ...typed, ...context },
    makesLoggingRole,
    isDeployed,
  };
};
