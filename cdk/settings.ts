/** What may be said of a deployment, as context of the CDK: each of these has a default that suits a new account. */
import type { Node } from 'constructs';
import * as z from 'zod';
import { excessesOf, newAccount } from './concurrency.ts';
import { type FunctionName, functionNames } from './names.ts';

/** Context from the command line is text; from `cdk.json` it is whatever stands there. */
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

const flag = (unsaid: boolean) =>
  z
    .union([z.boolean(), z.enum(['true', 'false'])])
    .transform((value) => String(value) === 'true')
    .default(unsaid);

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
/** Users by name; an entry that no caller can match would lock its owner out. */
const callers = list.superRefine((names, context) => {
  for (const name of names.filter((one) => !callerArn.test(one) && !subject.test(one)))
    context.addIssue({
      code: 'custom',
      message: `has ${JSON.stringify(name)}, which is neither the ARN of an IAM user or role nor <issuer>#<subject>`,
    });
});

/** Days that CloudWatch Logs can keep things for. */
const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** Characters of who is let in: a function is told four kilobytes in all, which Lambda says only when it is deployed. */
const mostToldOfUsers = 2_350;

const fields = z.object({
  installation: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,29}$/, 'is not 1 to 30 small letters, digits and dashes, beginning with a letter')
    .default('capstan'),
  /** ARNs of users and roles, or `<issuer>#<subject>`; everyone else is refused. */
  administrators: callers.default([]),
  /** The same, of users who read everything but Secrets. */
  viewers: callers.default([]),
  /** OpenID providers, as `OIDC` in `lambdas/environment.ts` has them. */
  oidc: json(z.array(z.looseObject({ issuer: z.url(), audiences: z.array(text).min(1) }))),
  /** AWS identities are let in. */
  sts: flag(true),
  /** Operations run as workflows. */
  workflows: flag(true),
  /** The names of the roles that instances may be given. */
  nodeRoles: list.default([
    'control-plane.cluster-api-provider-aws.sigs.k8s.io',
    'nodes.cluster-api-provider-aws.sigs.k8s.io',
  ]),
  /** Default security groups may be emptied, as `emptyRoutesDefaultVPCSecurityGroup` asks: those of other VPCs, too. */
  emptyDefaultGroups: flag(false),
  logRetentionDays: z.coerce
    .number()
    .refine((days) => retentions.includes(days), `is none of ${retentions.join(', ')}`)
    .default(30),
  /** Days that the audit log is kept for. */
  auditRetentionDays: z.coerce
    .number()
    .refine((days) => retentions.includes(days), `is none of ${retentions.join(', ')}`)
    .default(365),
  /**
   * Functions that may run at once in the account and region, as far as this installation may count on them: what follows
   * is derived from it. `capstan deploy` asks AWS.
   */
  accountConcurrency: count(newAccount, 1_000_000).optional(),
  /** Concurrent executions kept for a function. */
  reservedConcurrency: json(z.partialRecord(z.enum(functionNames), count(0, 100_000))),
  /** How many workers one queue may keep busy. */
  maxConcurrency: count(2, 1000).optional(),
  /** How many watches may be open at once. */
  watches: count(1, 10_000).optional(),
  /** Of the account's request limits, the part that one process may count on. */
  cloudShare: z.coerce.number().positive().max(1).optional(),
  alarmEmail: z.email().optional(),
  /** Of the API, which is then served at `/`; with the ARN of a certificate of the same region. */
  domainName: text.optional(),
  certificateArn: text.optional(),
  /** The domain of the front and the ARN of its certificate in the same region; without both there is no front. */
  frontDomainName: text.optional(),
  frontCertificateArn: text.optional(),
  /** Where the function that speaks to clusters runs: a network that reaches their endpoints, and AWS's. */
  vpcId: text.optional(),
  /** Of that function, where only a proxy reaches the clusters; AWS is asked without it. */
  httpsProxy: z.url({ protocol: /^https?$/ }).optional(),
  /** Hosts that are reached without the proxy, separated by commas. */
  noProxy: text.optional(),
  /** Ranges of addresses from which the API answers; everyone when absent. */
  allowedCidrs: z.preprocess(listed, z.array(z.union([z.cidrv4(), z.cidrv6()], 'is no CIDR')).min(1)).optional(),
  /** Of AWS WAF, for the API's stage: the ARN of a regional web ACL. */
  webAclArn: z
    .string()
    .regex(
      /^arn:[a-z-]+:wafv2:[a-z0-9-]+:\d{12}:regional\/webacl\/[^/]+\/[0-9a-f-]+$/,
      'is no ARN of a regional web ACL',
    )
    .optional(),
  /** The interface endpoints of execute-api through which alone the API answers: it has no public address then. */
  vpcEndpointIds: z
    .preprocess(listed, z.array(z.string().regex(/^vpce-[0-9a-f]+$/, 'is no id of a VPC endpoint')).min(1))
    .optional(),
  /** This account's API Gateway may already write logs: then its role is left alone. */
  accountLogging: flag(true),
});

const schema = fields
  .refine(({ domainName, certificateArn }) => !domainName === !certificateArn, {
    message: 'domainName and certificateArn come together',
  })
  .refine(
    ({ administrators, viewers, oidc = [] }) =>
      JSON.stringify({ administrators, viewers, oidc }).length <= mostToldOfUsers,
    {
      message: `administrators, viewers and oidc are longer than ${mostToldOfUsers} characters, the most that fits into the environment of a function: list a role that all of them can assume`,
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
    // Without the limit nothing is known to exceed it.
    if (given.accountConcurrency === undefined) return;
    for (const message of excessesOf(given)) context.addIssue({ code: 'custom', message });
  })
  .refine(({ httpsProxy, noProxy }) => noProxy === undefined || httpsProxy !== undefined, {
    message: 'noProxy says nothing without httpsProxy',
  });

/** The administrators whom no caller can be, for tokens of their kind are not taken. */
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

const saidOf = ({ issues }: z.ZodError): string[] =>
  issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '));

/** Problems of each value and, when the values are complete (`isWhole`), of their combination. */
export const settingProblems = (given: Readonly<Record<string, unknown>>, isWhole: boolean): string[] => {
  const unknown = Object.keys(given).filter((name) => !settingNames.includes(name));
  const parsed = (isWhole ? schema : fields).safeParse(given);
  return [
    ...unknown.map((name) => `there is no ${name}: it is one of ${settingNames.join(', ')}`),
    ...(parsed.success ? [] : saidOf(parsed.error)),
  ];
};

const givenTo = (node: Node): Record<string, unknown> =>
  Object.fromEntries(settingNames.map((name) => [name, node.tryGetContext(name) ?? undefined]));

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? value.join(',') : JSON.stringify(value);
};

/** What was said of the deployment, as it would be typed; what is left to its default is left out. */
export const givenContext = (node: Node): Record<string, string> =>
  Object.fromEntries(
    Object.entries(givenTo(node))
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, textOf(value)]),
  );

/** Throws, with every value that is wrong, in one message. */
export const settingsOf = (node: Node): Settings => {
  const parsed = schema.safeParse(givenTo(node));
  if (parsed.success) return parsed.data;
  throw new Error(`the context is wrong: ${saidOf(parsed.error).join('; ')}`);
};
