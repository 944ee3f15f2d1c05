/** What deploying and planning begin with: a session, a stack that can be deployed over, and its context. */
import { installationOf, nextContext } from './context.ts';
import { expectAlone } from './elsewhere.ts';
import type { DeploymentOptions } from './options.ts';
import { openSession, type Session } from './session.ts';
import {
  type CloudFormation,
  type Context,
  cloudFormation,
  deployedContext,
  expectDeployable,
  findStack,
  monitoringStackOf,
  stackOf,
} from './stack.ts';

export interface Prepared {
  session: Session;
  client: CloudFormation;
  installation: string;
  context: Context;
}

const withTemplate = (status: string | undefined): boolean => status !== undefined && status !== 'REVIEW_IN_PROGRESS';

export const prepare = async ({ context: typed = {}, ...options }: DeploymentOptions): Promise<Prepared> => {
  const installation = installationOf(typed);
  const session = await openSession(options);
  const client = cloudFormation();
  const [stack, monitoring] = [stackOf(installation), monitoringStackOf(installation)];
  const deployed = await findStack(client, stack);
  expectDeployable(deployed, stack, session.region);
  expectDeployable(await findStack(client, monitoring), monitoring, session.region);
  const isDeployed = withTemplate(deployed?.StackStatus);
  if (!isDeployed && !session.isEmulated) await expectAlone(installation, session.region);
  const before = isDeployed ? await deployedContext(client, stack) : {};
  const context = { ...nextContext(before, typed, session.caller), installation };
  return { session, client, installation, context };
};
