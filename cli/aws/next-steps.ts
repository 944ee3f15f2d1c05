/** What a user should know and do after a deployment. */
import { namesOf } from '../../cdk/names.ts';
import { typed } from '../output.ts';
import { defaultInstallation } from './context.ts';
import type { Prepared } from './prepare.ts';
import type { Outputs } from './stack.ts';

export interface Deployed extends Pick<Prepared, 'session' | 'installation' | 'context'> {
  /** Whether the stack with the alarms was deployed, too. */
  isMonitored: boolean;
  outputs: Outputs;
}

const hearing = ({ installation, context: { alarmEmail } }: Deployed): string =>
  alarmEmail
    ? `go to ${alarmEmail}, which must confirm the subscription that AWS mails`
    : `NO USER HEARS THEM: deploy with --context alarmEmail=<address>, or subscribe to the topic ${namesOf(installation).alarms}`;

/** Keys of several regions have this prefix. */
const isMultiRegion = (keyArn: string): boolean => keyArn.includes(':key/mrk-');

/** What a lost region takes with it. */
export const lostWith = (region: string, keyArn: string): string =>
  `a loss of ${region} takes all objects and snapshots${isMultiRegion(keyArn) ? '' : ', and the key, which no other region can have'}: see docs/restore.md#a-lost-region`;

/** Of an installation whose last deployment found Secrets of an older version. */
export const formerSecrets =
  'deploy once more in a few hours: until then reconcile-aws may open Secrets that are not encrypted for a purpose yet, see docs/deployment.md#going-back';

export const renderNextSteps = (deployed: Deployed): string => {
  const { session, installation, context, isMonitored, outputs } = deployed;
  const { Url, DomainTarget, KeyArn = '' } = outputs;
  const args = [
    ...(session.profile ? ['--profile', session.profile] : []),
    '--region',
    session.region,
    ...(installation === defaultInstallation ? [] : ['--installation', installation]),
    // In an emulator CloudFormation outputs AWS's address.
    ...(session.isEmulated ? ['--url <its URL>', '--certificate-authority <its file>'] : []),
  ];
  const how = session.isEmulated ? ' (the emulator printed its URL and file)' : '';
  const facts: [string, string][] = [
    ['API', Url ?? 'the stack has no output Url'],
    ...(DomainTarget
      ? [['DNS', `point ${context.domainName} at ${DomainTarget} (CNAME, or an alias)`] as [string, string]]
      : []),
    ['administrators', context.administrators ?? ''],
    ...(context.viewers ? [['viewers', context.viewers] as [string, string]] : []),
    ...(context.breakGlass ? [['break glass', context.breakGlass] as [string, string]] : []),
    ...(isMonitored ? [['alarms', hearing(deployed)] as [string, string]] : []),
    ['region', lostWith(session.region, KeyArn)],
    ...(outputs.FormerSecrets ? [['Secrets', formerSecrets] as [string, string]] : []),
  ];
  return `
Capstan is deployed.

${facts.map(([name, says]) => `  ${name.padEnd(16)}${says}`).join('\n')}

Write a kubeconfig and use it${how}:

  ${typed(`login ${args.join(' ')}`)}
  kubectl get clusters
`;
};
