/** What stays in the account beside the stacks: of other installations, and of clusters that were not deleted. */
import { parameterNameOf } from '../../adapters/aws/marker/parameter.ts';
import { type BlockingObjects, renderBlockingObjects } from '../../lambdas/runtime/blocking-objects.ts';
import { bootstrapStack, type Existence, findBootstrap, findLoggingRole, findMark } from './existence.ts';
import { renderUnknown, resultOf } from './kept.ts';
import type { Session } from './session.ts';
import type { CloudFormation } from './stack.ts';

interface Found {
  line: string;
  existence: Existence;
}

/** Emulators have no role for the logs of API Gateway. */
export const findShared = async (
  { region, account, isEmulated }: Pick<Session, 'region' | 'account' | 'isEmulated'>,
  installation: string,
  client: CloudFormation,
): Promise<Found[]> => [
  {
    line: `the CDK's bucket and roles in ${region} of account ${account} (stack ${bootstrapStack})`,
    existence: await findBootstrap(client),
  },
  ...(isEmulated
    ? []
    : [
        {
          line: 'the role that API Gateway writes the logs of this account with, which a deployment may have made',
          existence: await findLoggingRole(),
        },
      ]),
  {
    line: `the parameter ${parameterNameOf(installation)}, by which a later installation of this name notices what was lost`,
    existence: await findMark(installation),
  },
];

export const renderShared = (found: readonly Found[], living: readonly BlockingObjects[]): string => {
  const results = found.map(({ line, existence }) => resultOf(line, line, existence));
  return [
    'Not part of the installation, and left as it was:',
    ...(living.length > 0 ? [`  machines, networks and load balancers of ${renderBlockingObjects(living)}`] : []),
    ...results.flatMap(({ name }) => (name === undefined ? [] : [`  ${name}`])),
    '  entries of kubeconfigs that login wrote:  kubectl config delete-context <name>',
    ...renderUnknown(results.flatMap(({ unknown }) => unknown)),
  ].join('\n');
};
