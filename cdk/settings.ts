/** Settings of a deployment, as CDK context. The defaults suit a new account. */
import type { Node } from 'constructs';
import * as z from 'zod';
import { partitions } from '../adapters/aws/identity/hosts.ts';
import { excessesOf, newAccount } from './concurrency.ts';
import type { Context } from './context.ts';
import { type FunctionName, functionNames } from './names.ts';

/** Context from the command line is text; from `cdk.json` it is JSON. */
const json = <S extends z.ZodType>(schema: S) =>
  z
    .preprocess((value, context) => {
      if (typeof value !== 'string') return value;
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'is no JSON' });
        return z.NEVER;
      }
    }, schema)
    .optional();

const boolean = z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => String(value) === 'true');
const flag = (byDefault: boolean) => boolean.default(byDefault);

const list = z
  .union([z.array(z.string()), z.string()])
  .transform((value) => (Array.isArray(value) ? value : value.split(',')).map((one) => one.trim()).filter(Boolean));

/** Splits a list before its entries are validated; passes anything else on, so that the validation refuses it. */
const listed = (value: unknown): unknown => (value === undefined ? undefined : (list.safeParse(value).data ?? value));

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const text = z.string().min(1);

/** An IAM user or role, a session of a role, or a federated user, as AWS names a caller. */
const callerArn =
  /^arn:aws[a-z-]*:(?:iam::\d{12}:(?:root|(?:user|role)\/[\x21-\x7e]+)|sts::\d{12}:(?:assumed-role\/[^/\s]+\/[^/\s]+|federated-user\/[\x21-\x7e]+))$/;
const subject = /^(https:\/\/[^\s#]+)#\S+$/;
/** Names of users; an entry that matches no caller would lock its owner out. */
const callers = list.superRefine((names, context) => {
  for (const name of names.filter((one) => !callerArn.test(one) && !subject.test(one)))
    context.addIssue({
      code: 'custom',
      message: `has ${JSON.stringify(name)}, which is neither the ARN of an IAM user or role nor <issuer>#<subject>`,
    });
});

const knownRegions = Object.values(partitions).flatMap(({ regions }) => regions);

/** Retention periods that CloudWatch Logs supports. */
const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** Characters of all user lists. Lambda limits an environment to 4 KB and reports that only at deployment. */
const mostUserCharacters = 2_210;

const fields = z.object({
  installation: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'is not 1 to 30 small letters, digits and dashes, beginning with a letter')
    .default('capstan'),
  /** ARNs of users and roles, or `<issuer>#<subject>`; everyone else is refused. */
  administrators: callers.default([]),
  /** The same, for users who read everything except Secrets. */
  viewers: callers.default([]),
  /** The same, for users who pass whatever the rights in the store say; the administrators if empty. */
  breakGlass: callers.default([]),
  /** OpenID providers in the format of `OIDC` in `lambdas/environment.ts`. */
  oidc: json(
    z.array(
      z.looseObject({ issuer: z.url(), audiences: z.array(text).min(1) }),
      'is no list of providers such as [{"issuer": "https://…", "audiences": ["…"]}]',
    ),
  ),
  /** Accepts AWS identities. */
  sts: flag(true),
  /** Operations run as workflows. */
  workflows: flag(true),
  /** Roles that instances may have. */
  nodeRoles: list.default([
    'control-plane.cluster-api-provider-aws.sigs.k8s.io',
    'nodes.cluster-api-provider-aws.sigs.k8s.io',
  ]),
  /** Roles that EKS may take for clusters, or the pattern of those that Capstan makes; without any, clusters of EKS cannot be made. */
  eksRoles: list.default([]),
  /** Permits Auto Scaling groups and launch templates, for AWSMachinePools. */
  machinePools: flag(false),
  /** Roles, perhaps of other accounts, that AWSClusterRoleIdentities may name; `*` stands for any part of a name. */
  assumedRoles: z
    .preprocess(
      listed,
      z.array(z.string().regex(/^arn:aws[a-z-]*:iam::(\d{12}|\*):role\/[\w+=,.@*/-]+$/, 'is no ARN of a role')),
    )
    .default([]),
  /**
   * Permits emptying default security groups, as `emptyRoutesDefaultVPCSecurityGroup` requests; those of
   * other VPCs too.
   */
  emptyDefaultGroups: flag(false),
  /** Further regions whose instances report their changes and notices. */
  regions: z.preprocess(listed, z.array(z.enum(knownRegions, 'is no region of AWS that Capstan knows'))).default([]),
  logRetentionDays: z.coerce
    .number()
    .refine((days) => retentions.includes(days), `is none of ${retentions.join(', ')}`)
    .default(30),
  /** Whether the audit log has the bodies of writes, without secrets. */
  auditLevel: z.enum(['Metadata', 'Request'], 'is neither Metadata nor Request').default('Metadata'),
  /** Retention of the audit log in days. */
  auditRetentionDays: z.coerce
    .number()
    .refine((days) => retentions.includes(days), `is none of ${retentions.join(', ')}`)
    .default(365),
  /**
   * Concurrent executions in the account and region that this installation may use; the next three derive
   * from it. `capstan deploy` reads it from AWS.
   */
  accountConcurrency: count(newAccount, 1_000_000).optional(),
  /** Reserved concurrent executions per function. */
  reservedConcurrency: json(z.partialRecord(z.enum(functionNames), count(0, 100_000))),
  /** Concurrent workers per queue. */
  maxConcurrency: count(2, 1000).optional(),
  /** Concurrent watches. */
  watches: count(1, 10_000).optional(),
  /** The share of the account's request limits that one process may use. */
  cloudShare: z.coerce.number().positive().max(1).optional(),
  alarmEmail: z.email('is no email address').optional(),
  /** The API's domain, then served at `/`, and the ARN of a certificate in the same region. */
  domainName: text.optional(),
  certificateArn: text.optional(),
  /** The domain of the front and the ARN of its certificate in the same region; without both there is no front. */
  frontDomainName: text.optional(),
  frontCertificateArn: text.optional(),
  /** The network of the function that connects to workload clusters; it must reach them and AWS. */
  vpcId: z
    .string()
    .regex(/^vpc-([0-9a-f]{8}|[0-9a-f]{17})$/, 'is no id of a VPC such as vpc-0123456789abcdef0')
    .optional(),
  /** The proxy of that function to workload clusters; calls to AWS do not use it. */
  httpsProxy: z.url({ protocol: /^https?$/ }).optional(),
  /** Hosts that are reached without the proxy, comma-separated. */
  noProxy: text.optional(),
  /** A Lambda layer with the program `bin/helm` for arm64, which renders the charts of add-ons. */
  helmLayer: z
    .string()
    .regex(/^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:layer:[\w-]+:\d+$/, 'is no ARN of a version of a Lambda layer')
    .optional(),
  /** Client address ranges; everyone when absent. */
  allowedCidrs: z.preprocess(listed, z.array(z.union([z.cidrv4(), z.cidrv6()], 'is no CIDR')).min(1)).optional(),
  /** The ARN of a regional AWS WAF web ACL for the API's stage. */
  webAclArn: z
    .string()
    .regex(
      /^arn:[a-z-]+:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[^/]+\/[0-9a-f-]+$/,
      'is no ARN of a regional web ACL',
    )
    .optional(),
  /** The only interface endpoints of execute-api through which the API answers; it has no public address then. */
  vpcEndpointIds: z
    .preprocess(listed, z.array(z.string().regex(/^vpce-[0-9a-f]+$/, 'is no id of a VPC endpoint')).min(1))
    .optional(),
  /**
   * Whether API servers of clusters report changes to the API instead of being polled; absent = unless the API
   * refuses addresses.
   */
  auditWebhook: boolean.optional(),
  /** A newer stored format that this version may replace although it cannot read it. */
  leaveFormat: count(2, 1_000_000).optional(),
  /** Gives the account's API Gateway, which all its APIs share, a logging role. */
  accountLogging: flag(false),
  /** Whether the key can be replicated into other regions; fixed when the key is created. */
  multiRegionKey: flag(true),
  /** Days for which no version of a new etcd snapshot can be deleted (Object Lock in governance mode). */
  snapshotLockDays: count(1, 3650).optional(),
  /** Whether the bucket of snapshots was made with Object Lock: CloudFormation would replace another one. */
  lockableSnapshots: flag(false),
  /** X-Ray traces of requests, functions and workflows. */
  tracing: flag(false),
});

const schema = fields
  .refine(({ domainName, certificateArn }) => !domainName === !certificateArn, {
    message: 'domainName and certificateArn come together',
  })
  .refine(
    ({ administrators, viewers, breakGlass, oidc = [] }) =>
      JSON.stringify({ administrators, viewers, breakGlass, oidc }).length <= mostUserCharacters,
    {
      message: `administrators, viewers, breakGlass and oidc are longer than ${mostUserCharacters} characters, the most that fits into the environment of a function: list a role that all of them can assume`,
    },
  )
  .refine(({ domainName, vpcEndpointIds }) => domainName === undefined || vpcEndpointIds === undefined, {
    message: 'domainName is of a public API, and vpcEndpointIds make it private',
  })
  .refine(({ frontDomainName, frontCertificateArn }) => !frontDomainName === !frontCertificateArn, {
    message: 'frontDomainName and frontCertificateArn come together',
  })
  .refine(
    ({ frontDomainName, vpcEndpointIds, webAclArn }) => frontDomainName === undefined || !(vpcEndpointIds ?? webAclArn),
    { message: 'frontDomainName makes a front that vpcEndpointIds and webAclArn do not protect' },
  )
  .superRefine((given, context) => {
    for (const name of unreachable(given))
      context.addIssue({
        code: 'custom',
        message: subject.test(name)
          ? `administrators has ${name}, whose issuer is not among oidc`
          : `administrators has ${name}, and sts=false refuses AWS identities`,
      });
  })
  .superRefine((given, context) => {
    // Without a known limit no setting exceeds it.
    if (given.accountConcurrency === undefined) return;
    for (const message of excessesOf(given)) context.addIssue({ code: 'custom', message });
  })
  .refine(({ httpsProxy, noProxy }) => noProxy === undefined || httpsProxy !== undefined, {
    message: 'noProxy says nothing without httpsProxy',
  });

/** Administrators that no caller can be, because tokens of their kind are not accepted. */
const unreachable = ({ administrators: names, oidc = [], sts }: z.output<typeof fields>): string[] => {
  const issuers = oidc.map(({ issuer }) => issuer);
  return names.filter((name) => {
    const issuer = subject.exec(name)?.[1];
    return issuer === undefined ? !sts : !issuers.includes(issuer);
  });
};

export type Settings = z.output<typeof schema>;
export type { FunctionName };

export const settingNames: readonly string[] = Object.keys(fields.shape);

/** With the value, where it is one of several. */
const messagesOf = ({ issues }: z.ZodError, given: unknown): string[] =>
  issues.map(({ path, message }) => {
    const [name, at, ...deeper] = path;
    const values = listed((given as Readonly<Record<string, unknown>> | undefined)?.[String(name)]);
    return Array.isArray(values) && typeof at === 'number' && deeper.length === 0
      ? `${String(name)} has ${JSON.stringify(values[at])}, which ${message}`
      : [path.join('.'), message].filter(Boolean).join(' ');
  });

/** Problems of each value and, when the values are complete (`isWhole`), of their combination. */
export const settingProblems = (given: Readonly<Record<string, unknown>>, isWhole: boolean): string[] => {
  const unknown = Object.keys(given).filter((name) => !settingNames.includes(name));
  const parsed = (isWhole ? schema : fields).safeParse(given);
  return [
    ...unknown.map((name) => `there is no ${name}: it is one of ${settingNames.join(', ')}`),
    ...(parsed.success ? [] : messagesOf(parsed.error, given)),
  ];
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value.join(',') : JSON.stringify(value);
};

/** The given context as the user would type it, without defaults. */
export const givenContext = (node: Node): Context =>
  Object.fromEntries(
    settingNames
      .map((name) => [name, node.tryGetContext(name) as unknown] as const)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, textOf(value)]),
  );

export const installationIn = ({ installation }: Context): string => {
  const parsed = fields.shape.installation.safeParse(installation);
  if (parsed.success) return parsed.data;
  throw new Error(`the context is wrong: installation ${messagesOf(parsed.error, undefined).join('; ')}`);
};

/** Throws one error that lists every invalid value. */
export const settingsOf = (context: Context): Settings => {
  const parsed = schema.safeParse(context);
  if (parsed.success) return parsed.data;
  throw new Error(`the context is wrong: ${messagesOf(parsed.error, context).join('; ')}`);
};
