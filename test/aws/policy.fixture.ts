/** The account behind the deployed role of the worker: every call is first checked against the deployed policies. */
import { iamActionOf, iamActionsOf } from '../../adapters/aws/cloud/permissions.ts';
import { prefixes } from '../../cdk/permissions/ec2.ts';
import { policiesFor } from '../../cdk/permissions/policies.ts';
import type { Resources } from '../../cdk/resources.ts';
import { type Cloud, type CloudAction, CloudError, isMutating, type Tag } from '../../kinds/ports/cloud/index.ts';
import type { Account } from '../../simulation/aws/index.ts';
import { isAllowed, type Request } from '../build/iam.fixture.ts';
import { resources } from '../build/permissions.fixture.ts';

type Context = NonNullable<Request['context']>;
type Input = Record<string, unknown>;

const typeOf: Record<string, string> = Object.fromEntries(
  Object.entries(prefixes).flatMap(([type, prefix]) => (prefix ? [[prefix, type]] : [])),
);

/** Referenced resources that are not checked: the groups of a rule, the target of a route, the subnets and targets of a load balancer. */
const unchecked = ['IpPermissions', 'Targets', 'DefaultActions', 'UserData', 'TagSpecifications', 'Tags'];
const uncheckedOf = (action: CloudAction): string[] => {
  if (/^(Create|Replace)Route$/.test(action)) return ['GatewayId', 'NatGatewayId', 'CarrierGatewayId'];
  return /Create(Classic)?LoadBalancer$|^Set/.test(action) ? ['Subnets', 'SecurityGroups'] : [];
};

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};
const requestTags = (tags: readonly Tag[]): Context => ({
  'aws:TagKeys': tags.map(({ Key }) => Key),
  ...Object.fromEntries(tags.map(({ Key, Value }) => [`aws:RequestTag/${Key}`, Value])),
});
const resourceTags = (tags: Record<string, string>): Context =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value]));

/** Their ARNs name none. */
const isOfNoAccount = (type: string): boolean => type === 'image' || type === 'snapshot';

export interface Policed extends Cloud {
  /** How often each action was called. */
  asked: Map<string, number>;
}

export const policed = (accountOf: () => Account, installation = 'here'): Policed => {
  const account = '123456789012';
  const given: Resources = { ...resources, account, installation };
  const statements = Object.values(policiesFor('reconcile-aws', given)).flat();
  const asked = new Map<string, number>();
  const arn = (service: string, region: string, what: string, owner = account) =>
    `arn:aws:${service}:${region}:${owner}:${what}`;
  const tagsOf = (name: string): Context => {
    // Secrets are listed by their ARNs, which end in a random suffix.
    const isNamed = (id: string) =>
      id === name ||
      id.includes(`:secret:${name}-`) ||
      id.endsWith(`parameter${name}`) ||
      (name.startsWith(':') && id.endsWith(name));
    const all = accountOf().list();
    return resourceTags(all.find(({ id }) => isNamed(id))?.tags ?? {});
  };

  const named = (region: string, action: CloudAction, input: Input): Request[] => {
    const skip = [...unchecked, ...uncheckedOf(action)];
    const texts = Object.entries(input).flatMap(([key, value]) => (skip.includes(key) ? [] : textsIn(value)));
    const own = iamActionOf(action);
    const service = own.split(':')[0]!;
    const { LoadBalancerName, LoadBalancerNames = LoadBalancerName ? [LoadBalancerName] : [] } = input as {
      LoadBalancerName?: string;
      LoadBalancerNames?: string[];
    };
    if (LoadBalancerNames.length > 0)
      return LoadBalancerNames.map((name) => {
        const resource = arn(service, region, `loadbalancer/${name}`);
        return { action: own, resource, context: tagsOf(`:loadbalancer/${name}`) };
      });
    if (service !== 'ec2')
      return texts
        .filter((text) => text.startsWith(`arn:aws:${service}:`))
        .map((id) => ({ action: own, resource: id.replace(/:\d{12}:/, `:${account}:`), context: tagsOf(id) }));
    return texts.flatMap((id) => {
      const type = typeOf[/^([a-z]+)-[0-9a-f]+$/.exec(id)?.[1] ?? ''];
      if (!type) return [];
      return [
        {
          action: own,
          resource: arn('ec2', region, `${type}/${id}`, isOfNoAccount(type) ? '' : account),
          context: tagsOf(id),
        },
      ];
    });
  };

  const made = (region: string, action: CloudAction, input: Input): Request[] => {
    const [own, ...others] = iamActionsOf(action);
    const {
      TagSpecifications = [],
      Tags = [],
      Name,
    } = input as {
      TagSpecifications?: { ResourceType: string; Tags: Tag[] }[];
      Tags?: Tag[];
      Name?: string;
    };
    const api = own.split(':')[1]!;
    const CreateAction = { 'ec2:CreateAction': api, 'elasticloadbalancing:CreateAction': api };
    const both = (resource: string, tags: Tag[]): Request[] => [
      { action: own, resource, context: requestTags(tags) },
      ...others
        .filter((other) => /Tags|TagResource/.test(other))
        .map((other) => ({ action: other, resource, context: { ...requestTags(tags), ...CreateAction } })),
    ];
    switch (action) {
      case 'CreateLoadBalancer':
        return both(arn('elasticloadbalancing', region, `loadbalancer/net/${Name}/*`), Tags);
      case 'CreateClassicLoadBalancer':
        return both(arn('elasticloadbalancing', region, `loadbalancer/${String(input.LoadBalancerName)}`), Tags);
      case 'CreateTargetGroup':
        return both(arn('elasticloadbalancing', region, `targetgroup/${Name}/*`), Tags);
      case 'CreateListener':
        return both(arn('elasticloadbalancing', region, 'listener/net/a/b/*'), Tags).slice(1);
      case 'CreateSecret':
        return both(arn('secretsmanager', region, `secret:${Name}-AbCdEf`), Tags);
      case 'PutParameter':
        return both(arn('ssm', region, `parameter${Name}`), Tags);
      default:
        return TagSpecifications.flatMap(({ ResourceType, Tags: tags }) =>
          both(arn('ec2', region, `${ResourceType}/*`, isOfNoAccount(ResourceType) ? '' : account), tags),
        );
    }
  };

  const withContext = (region: string, action: CloudAction, input: Input, context: Context): Request[] =>
    named(region, action, input).map((one) => ({ ...one, context: { ...one.context, ...context } }));

  const requestsOf = (region: string, action: CloudAction, input: Input): Request[] => {
    const own = iamActionOf(action);
    switch (action) {
      case 'DescribeSecret':
        return [{ action: own, resource: arn('secretsmanager', region, `secret:${String(input.SecretId)}-AbCdEf`) }];
      case 'ListTagsForResource':
        return [{ action: own, resource: arn('ssm', region, `parameter${String(input.ResourceId)}`) }];
      case 'GetConsoleOutput':
        return named(region, action, input);
      case 'CreateTags':
      case 'AddTags':
      case 'AddClassicLoadBalancerTags': {
        const { Tags, ...rest } = input as Input & { Tags: Tag[] };
        return withContext(region, action, rest, requestTags(Tags));
      }
      case 'DeleteTags':
      case 'RemoveClassicLoadBalancerTags': {
        const { Tags, ...rest } = input as Input & { Tags: { Key: string }[] };
        return withContext(region, action, rest, { 'aws:TagKeys': Tags.map(({ Key }) => Key) });
      }
      case 'RemoveTags': {
        const { TagKeys, ...rest } = input as Input & { TagKeys: string[] };
        return withContext(region, action, rest, { 'aws:TagKeys': TagKeys });
      }
      case 'DeleteSecret': {
        const id = String(input.SecretId);
        return [{ action: own, resource: arn('secretsmanager', region, `secret:${id}-AbCdEf`), context: tagsOf(id) }];
      }
      case 'DeleteParameter': {
        const id = String(input.Name);
        return [{ action: own, resource: arn('ssm', region, `parameter${id}`), context: tagsOf(id) }];
      }
      default: {
        if (!isMutating(action)) return [{ action: own, resource: '*' }];
        const profile = (input.IamInstanceProfile as { Name: string } | undefined)?.Name;
        const role = `arn:aws:iam::${account}:role/${profile}`;
        const context = { 'iam:PassedToService': 'ec2.amazonaws.com' };
        return [
          ...made(region, action, input),
          ...named(region, action, input),
          ...(profile ? [{ action: 'iam:PassRole', resource: role, context }] : []),
        ];
      }
    }
  };

  return {
    asked,
    call: (region, action, input) => {
      const requests = requestsOf(region, action, input as Input);
      asked.set(action, (asked.get(action) ?? 0) + requests.length);
      const refused = requests.find((request) => !isAllowed(statements, request));
      if (refused) {
        const code = 'UnauthorizedOperation';
        const what = `${refused.action} on ${refused.resource} with ${JSON.stringify(refused.context)}`;
        return Promise.reject(new CloudError(code, `${action}: the role may not ${what}`));
      }
      return accountOf().call(region, action, input);
    },
  };
};
