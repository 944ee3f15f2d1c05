/** Deployed stacks in CloudFormation. */
import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  type Stack,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';
import { type Context, deployedIn } from '../../cdk/context.ts';
import { CliError } from '../errors.ts';
import { duration } from '../table.ts';
import { asking, explained } from './explain.ts';
import { settings } from './session.ts';

export type { Context } from '../../cdk/context.ts';
export { monitoringStackOf, stackOf } from '../../cdk/names.ts';

export const cloudFormation = (): CloudFormationClient => new CloudFormationClient(settings);
export type CloudFormation = Pick<CloudFormationClient, 'send'>;

const isAbsent = (error: unknown): boolean =>
  (error as Error).name === 'ValidationError' && /does not exist/.test((error as Error).message);

/** Undefined without such a stack. By id, deleted stacks are found too. */
export const findStack = async (client: CloudFormation, nameOrId: string): Promise<Stack | undefined> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: nameOrId }));
    return Stacks[0];
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw explained(error, { action: 'cloudformation:DescribeStacks', what: `the stack ${nameOrId}` });
  }
};

/** Whether a stack was deployed, not only planned. */
export const withTemplate = (status: string | undefined): boolean =>
  status !== undefined && status !== 'REVIEW_IN_PROGRESS';

export interface Outputs {
  Url?: string;
  DomainTarget?: string;
  Installation?: string;
  ClusterId?: string;
  ObjectsTable?: string;
  WorkTable?: string;
  KeyArn?: string;
  SnapshotBucket?: string;
  SnapshotKeysKeyArn?: string;
  AuditLogGroup?: string;
  /** Whether `reconcile-aws` may open Secrets that are not encrypted for a purpose. */
  FormerSecrets?: string;
}

export const outputsOf = (stack: Stack): Outputs =>
  Object.fromEntries((stack.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));

/** The context of the last deployment. */
export const deployedContext = async (client: CloudFormation, name: string): Promise<Context> => {
  const request = client.send(new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }));
  const { TemplateBody } = await asking(request, {
    action: 'cloudformation:GetTemplate',
    what: `the stack ${name}`,
  });
  return deployedIn(TemplateBody).context;
};

/** Events of the stack's last operation, newest first. */
export const lastEvents = async (client: CloudFormation, id: string): Promise<StackEvent[]> => {
  const events: StackEvent[] = [];
  let NextToken: string | undefined;
  do {
    const page = await asking(client.send(new DescribeStackEventsCommand({ StackName: id, NextToken })), {
      action: 'cloudformation:DescribeStackEvents',
      what: `the stack ${id}`,
    });
    for (const event of page.StackEvents ?? []) {
      events.push(event);
      const isOfStack = event.PhysicalResourceId === event.StackId;
      if (isOfStack && /^(CREATE|UPDATE|DELETE)_IN_PROGRESS$/.test(event.ResourceStatus ?? '')) return events;
    }
    NextToken = page.NextToken;
  } while (NextToken);
  return events;
};

/** Root failures, oldest first, without the cancellations that they caused. */
export const failuresOf = (events: readonly StackEvent[]): StackEvent[] =>
  events
    .filter(
      ({ ResourceStatus = '', ResourceStatusReason = '', PhysicalResourceId, StackId }) =>
        ResourceStatus.endsWith('_FAILED') &&
        PhysicalResourceId !== StackId &&
        !/^Resource (creation|update|deletion) cancelled/i.test(ResourceStatusReason),
    )
    .reverse();

/** Why a stack cannot be updated, with advice; undefined if it can. */
export const standingInTheWay = (name: string, status: string, region: string): string | undefined => {
  const where = `--stack-name ${name} --region ${region}`;
  switch (status) {
    case 'CREATE_COMPLETE':
    case 'UPDATE_COMPLETE':
    case 'UPDATE_ROLLBACK_COMPLETE':
    case 'IMPORT_COMPLETE':
    case 'IMPORT_ROLLBACK_COMPLETE':
    case 'DELETE_COMPLETE':
    // Nothing was created, so the CDK starts over.
    case 'REVIEW_IN_PROGRESS':
    case 'ROLLBACK_COMPLETE':
      return undefined;
    case 'UPDATE_ROLLBACK_FAILED':
      return `the stack ${name} could neither be updated nor taken back: see why with  aws cloudformation describe-stack-events ${where}  , mend the cause, go back to what ran before with  aws cloudformation continue-update-rollback ${where}  , then deploy again; what is deployed keeps running meanwhile`;
    case 'CREATE_FAILED':
    case 'ROLLBACK_FAILED':
      return `the first deployment of ${name} failed half-way and could not be taken back: run  npm run destroy  , then deploy again`;
    case 'DELETE_FAILED':
      return `${name} was being deleted, and that failed half-way (clusters exist, or something holds a resource): a stack in this state cannot be updated; run  npm run destroy  to see why and to finish, then deploy again`;
    case 'UPDATE_FAILED':
      return `the last update of ${name} failed and was not taken back: go back to what ran before with  aws cloudformation rollback-stack ${where}  , then deploy again`;
    default:
      if (status.endsWith('_IN_PROGRESS'))
        return `another deployment of ${name} is under way (${status}): wait until it ends, or see it with  aws cloudformation describe-stack-events ${where}`;
      return `the stack ${name} is ${status}, which cannot be deployed over: look at it in the CloudFormation console`;
  }
};

/** Throws CliError if the stack cannot be updated. */
export const expectDeployable = (stack: Stack | undefined, name: string, region: string): void => {
  const refusal = stack && standingInTheWay(name, stack.StackStatus ?? '', region);
  if (refusal) throw new CliError(refusal);
};

/** Milliseconds for which a stack that was never deployed may belong to a deployment that runs. */
const preparing = 15 * 60_000;

/** Refuses a stack whose first deployment may be preparing its change set. `now` in milliseconds. */
export const expectAbandoned = ({ StackName, StackStatus, CreationTime }: Stack, now: number): void => {
  if (StackStatus !== 'REVIEW_IN_PROGRESS' || CreationTime === undefined) return;
  const age = now - CreationTime.getTime();
  if (age < preparing)
    throw new CliError(
      `a first deployment of ${StackName} began ${duration(age)} ago and may still run: wait until it ends. If it was ended, run this again in ${duration(preparing - age)}, or now with --force`,
    );
};
