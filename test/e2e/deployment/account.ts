/** What an installation has in the account, by the services' own lists. */
import {
  EC2Client,
  paginateDescribeInstances,
  paginateDescribeNatGateways,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { paginateGetResources, ResourceGroupsTaggingAPIClient } from '@aws-sdk/client-resource-groups-tagging-api';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSecrets, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { canonicalArn } from '../../../adapters/aws/identity/arn.ts';
import { namesOf } from '../../../cdk/names.ts';
import type { Place } from './place.ts';

export interface LaunchedInstance {
  id: string;
  /** The machine that it was launched for, from its tag. */
  machine: string;
  state: string;
}

const installationTag = 'capstan.dev/installation';
const secretPrefix = 'aws.cluster.x-k8s.io/';

export const openAccount = ({ environment, region: home }: Place, installation = 'capstan') => {
  const config = (service: string, region: string) => {
    const endpoint = environment[`AWS_ENDPOINT_URL_${service}`] ?? environment.AWS_ENDPOINT_URL;
    const [accessKeyId = '', secretAccessKey = ''] = [environment.AWS_ACCESS_KEY_ID, environment.AWS_SECRET_ACCESS_KEY];
    return { region, ...(endpoint !== undefined && { endpoint, credentials: { accessKeyId, secretAccessKey } }) };
  };

  const instances = async (region: string): Promise<LaunchedInstance[]> => {
    const client = new EC2Client(config('EC2', region));
    const Filters = [{ Name: `tag:${installationTag}`, Values: [installation] }];
    const found: LaunchedInstance[] = [];
    for await (const { Reservations = [] } of paginateDescribeInstances({ client }, { Filters }))
      for (const { InstanceId = '', Tags = [], State } of Reservations.flatMap((one) => one.Instances ?? []))
        found.push({
          id: InstanceId,
          machine: Tags.find(({ Key }) => Key === 'MachineName')?.Value ?? '',
          state: State?.Name ?? '',
        });
    client.destroy();
    return found;
  };

  /** Gateways and instances stay listed for a while after their deletion. */
  const isEnded = async (region: string): Promise<(arn: string) => boolean> => {
    const ended = new Set((await instances(region)).filter(({ state }) => state === 'terminated').map(({ id }) => id));
    const client = new EC2Client(config('EC2', region));
    for await (const { NatGateways = [] } of paginateDescribeNatGateways({ client }, {}))
      for (const { NatGatewayId = '', State } of NatGateways) if (State === 'deleted') ended.add(NatGatewayId);
    client.destroy();
    return (arn) => ended.has(arn.slice(arn.lastIndexOf('/') + 1));
  };

  return {
    /** The caller, as settings name it. */
    caller: async (): Promise<string> => {
      const client = new STSClient(config('STS', home));
      const { Arn = '' } = await client.send(new GetCallerIdentityCommand({}));
      client.destroy();
      return canonicalArn(Arn);
    },
    instances,
    /** The ARNs of all resources with the installation's tag, and the names of secrets for instances. */
    left: async (region: string): Promise<string[]> => {
      const tagging = new ResourceGroupsTaggingAPIClient(config('RESOURCE_GROUPS_TAGGING_API', region));
      const secrets = new SecretsManagerClient(config('SECRETS_MANAGER', region));
      const TagFilters = [{ Key: installationTag, Values: [installation] }];
      const found: string[] = [];
      for await (const { ResourceTagMappingList = [] } of paginateGetResources({ client: tagging }, { TagFilters }))
        found.push(...ResourceTagMappingList.map(({ ResourceARN = '' }) => ResourceARN));
      for await (const { SecretList = [] } of paginateListSecrets({ client: secrets }, {}))
        found.push(...SecretList.flatMap(({ Name = '' }) => (Name.startsWith(secretPrefix) ? [Name] : [])));
      for (const client of [tagging, secrets]) client.destroy();
      const ended = await isEnded(region);
      return found.filter((arn) => !ended(arn));
    },
    terminate: async (region: string, InstanceIds: string[]) => {
      const client = new EC2Client(config('EC2', region));
      await client.send(new TerminateInstancesCommand({ InstanceIds }));
      client.destroy();
    },
    /** The enabled schedules of the installation. */
    schedules: async (): Promise<string[]> => {
      const client = new SchedulerClient(config('SCHEDULER', home));
      const { Schedules = [] } = await client.send(
        new ListSchedulesCommand({ GroupName: namesOf(installation).scheduleGroup }),
      );
      client.destroy();
      return Schedules.flatMap(({ Name = '', State }) => (State === 'ENABLED' ? [Name] : []));
    },
  };
};
export type Account = ReturnType<typeof openAccount>;
