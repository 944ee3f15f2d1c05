import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { messagesAtOnce } from '../../cdk/limits.ts';
import { functionNames, speeds, workerClasses } from '../../cdk/names.ts';
import { issuerPaths, reportPath, targets } from '../../cdk/routes.ts';
import { pushPath } from '../../kinds/core/contract/push/configuration.ts';
import {
  baseEnvironment,
  dispatchingEnvironment,
  guardingEnvironment,
  receivingEnvironment,
  reconcilingEnvironment,
  servingEnvironment,
} from '../../lambdas/environment.ts';
import { longestWatch } from '../../lambdas/runtime/serving.ts';
import { times } from '../../machinery/controller/work-item.ts';
import { failure, notServed, unauthorized } from '../../machinery/server/status.ts';
import { awaitedInvoke } from '../../stepfunctions/asl.ts';
import { definitionNames, definitions } from '../../stepfunctions/index.ts';
import { functions as bundled } from '../../tools/bundle.mjs';
import { controllers } from '../../wiring.ts';
import {
  evaluated,
  ofType,
  type Resource,
  type Synthesised,
  synthesise,
  type Template,
  validated,
} from './stacks.fixture.ts';

let made: Synthesised;
let template: Template;

beforeAll(() => {
  made = synthesise({ accountConcurrency: '1000' }, undefined, validated);
  template = made.controlPlane;
}, 120_000);

const pseudo: Record<string, string> = { 'AWS::Region': 'eu-west-1', 'AWS::URLSuffix': 'amazonaws.com' };
const known = (reference: string) => {
  if (pseudo[reference] !== undefined) return pseudo[reference];
  const { QueueName } = template.Resources[reference]?.Properties ?? {};
  return QueueName === undefined ? reference : `https://sqs.eu-west-1.amazonaws.com/111122223333/${QueueName}`;
};
/** The ID and the properties of a resource. */
const named = <T = unknown>(type: string, key: string, name: string): [string, T] => {
  const found = ofType(template, type).filter(([, { Properties }]) => Properties[key] === name);
  expect(found.map(([id]) => id)).toHaveLength(1);
  const [id, { Properties }] = found[0]!;
  return [id, evaluated(Properties, known) as T];
};
const functionOf = (name: string) =>
  named<{ Timeout: number; MemorySize: number; Environment: { Variables: Record<string, string> } }>(
    'AWS::Lambda::Function',
    'FunctionName',
    `capstan-${name}`,
  );
const queueOf = (name: string) =>
  named<{ VisibilityTimeout: number }>('AWS::SQS::Queue', 'QueueName', `capstan-${name}`);
const mappings = () => ofType(template, 'AWS::Lambda::EventSourceMapping').map(([, one]) => one.Properties);
const variablesOf = (name: string): Record<string, string> => {
  const [, { Environment }] = functionOf(name);
  return { AWS_REGION: 'eu-west-1', ...Environment.Variables };
};

describe('the deployed wiring', () => {
  it.each(Object.entries(controllers))('of %s has a function, two queues and event source mappings', (_, {
    worker,
  }) => {
    const [id] = functionOf(`reconcile-${worker}`);
    for (const speed of speeds) {
      const [queue] = queueOf(`${worker}-${speed}`);
      const handing = mappings().filter(
        ({ EventSourceArn }) => JSON.stringify(EventSourceArn) === JSON.stringify({ 'Fn::GetAtt': [queue, 'Arn'] }),
      );
      expect(handing).toMatchObject([
        {
          FunctionName: { Ref: id },
          BatchSize: messagesAtOnce[worker],
          FunctionResponseTypes: ['ReportBatchItemFailures'],
        },
      ]);
    }
  });

  it.each(definitionNames)('includes the workflow %s and its task', (name) => {
    const [operate] = functionOf('operate');
    const [, machine] = named<{
      DefinitionString: string;
      DefinitionSubstitutions: Record<string, string>;
      LoggingConfiguration: object;
    }>('AWS::StepFunctions::StateMachine', 'StateMachineName', `capstan-${name}`);
    expect(machine.DefinitionSubstitutions).toEqual({
      Operate: `${operate}.Arn`,
      AwaitedInvoke: 'arn:AWS::Partition:states:::lambda:invoke.waitForTaskToken',
    });
    // A task whose resource is in another partition than its execution fails there, whatever the definition says.
    expect(machine.DefinitionString).not.toContain('arn:aws:');
    expect(JSON.parse(machine.DefinitionString.replaceAll('${AwaitedInvoke}', awaitedInvoke))).toEqual(
      definitions[name],
    );
    // Inputs and outputs carry task tokens.
    expect(machine.LoggingConfiguration).toMatchObject({ IncludeExecutionData: false });
  });

  it('has exactly the bundled functions', () => {
    const deployed = ofType(template, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName);
    expect(deployed.sort()).toEqual(
      Object.keys(bundled)
        .map((name) => `capstan-${name}`)
        .sort(),
    );
    expect(Object.keys(bundled).sort()).toEqual([...functionNames].sort());
  });

  it('dispatches every new log entry of the stream', () => {
    const stream = mappings().filter(({ StartingPosition }) => StartingPosition);
    expect(stream).toMatchObject([
      {
        FunctionName: { Ref: functionOf('dispatch')[0] },
        BisectBatchOnFunctionError: true,
        ParallelizationFactor: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        FilterCriteria: {
          Filters: [{ Pattern: '{"eventName":["INSERT"],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"l#"}]}}}}' }],
        },
      },
    ]);
  });
});

describe('the environment of functions', () => {
  it.each([
    ['instances', baseEnvironment] as const,
    ['audit-webhook', receivingEnvironment] as const,
    ...(['api', 'watch'] as const).map((name) => [name, servingEnvironment] as const),
    ...workerClasses.map((worker) => [`reconcile-${worker}`, reconcilingEnvironment] as const),
    ...(['dispatch', 'operate', 'executions', 'sweep'] as const).map((name) => [name, dispatchingEnvironment] as const),
    ['guard', guardingEnvironment] as const,
  ])('is what %s reads', (name, read) => {
    const environment = read(variablesOf(name));
    expect(environment).toMatchObject({ INSTALLATION: 'capstan' });
  });

  it('names each queue by its URL, and each mapping once', () => {
    const { QUEUES, MAPPINGS, SCHEDULES } = dispatchingEnvironment(variablesOf('dispatch'));
    for (const worker of workerClasses)
      for (const speed of speeds) expect(QUEUES[worker][speed]).toMatch(new RegExp(`/capstan-${worker}-${speed}$`));
    const uuids = [...MAPPINGS.hot, ...MAPPINGS.slow];
    expect(new Set(uuids).size).toBe(workerClasses.length * speeds.length);
    for (const uuid of uuids) expect(template.Resources[uuid]?.Type).toBe('AWS::Lambda::EventSourceMapping');
    const schedules = ofType(template, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties.Name);
    expect([...SCHEDULES].sort()).toEqual(schedules.sort());
  });

  it('names the webhook by its URL', () =>
    expect(reconcilingEnvironment(variablesOf('reconcile-workload')).AUDIT_WEBHOOK_URL).toBe(
      `https://${ofType(template, 'AWS::ApiGateway::RestApi')[0]![0]}.execute-api.eu-west-1.amazonaws.com/v1${pushPath}`,
    ));

  it('names the state machines by their ARNs, and none without workflows', () => {
    const { WORKFLOWS } = reconcilingEnvironment(variablesOf('reconcile-aws'));
    expect(Object.keys(WORKFLOWS).sort()).toEqual([...definitionNames].sort());
    for (const [name, arn] of Object.entries(WORKFLOWS))
      expect(arn).toMatch(new RegExp(`:stateMachine:capstan-${name}$`));
  });
});

describe('memory', () => {
  it('of api suffices for a list of ten thousand objects, which a deletecollection reads', () =>
    expect(functionOf('api')[1].MemorySize).toBeGreaterThanOrEqual(1024));
});

describe('a synthesis', () => {
  it('emits no warning, because a permanent warning hides one that matters', () => {
    const metadata = made.app.node.findAll().flatMap(({ node }) => node.metadata);
    expect(metadata.filter(({ type }) => /warning|error/.test(type)).map(({ data }) => data)).toEqual([]);
  });
});

describe('alarms', () => {
  it('sum over several sources when the others report nothing', () => {
    const all = ofType(made.monitoring, 'AWS::CloudWatch::Alarm').flatMap(([, { Properties }]) =>
      ((Properties.Metrics ?? []) as { Expression?: string }[]).flatMap(({ Expression }) => Expression ?? []),
    );
    expect(all.length).toBeGreaterThan(0);
    const filled = /\(\[FILL\(\w+, 0\)(, FILL\(\w+, 0\))*\]\)|^DIFF\(FILL\(\w+, 0\)\)$/;
    for (const one of all) {
      expect(one).toMatch(filled);
      expect(one.replaceAll(/FILL\(\w+, 0\)/g, '')).not.toMatch(/[a-z]/);
    }
  });

  it('fire for failed operations, and for held operations that wait', () => {
    const filters = ofType(made.monitoring, 'AWS::Logs::MetricFilter').filter(([id]) => id.startsWith('Operations'));
    const logged = ofType(made.controlPlane, 'AWS::Logs::LogGroup').map(
      ([, { Properties }]) => Properties.LogGroupName,
    );
    const states = Object.values(definitions).flatMap(({ States }) => Object.keys(States));
    expect(filters).toHaveLength(definitionNames.length);
    for (const [, { Properties }] of filters) {
      expect(logged).toContain(Properties.LogGroupName);
      const named = [...String(Properties.FilterPattern).matchAll(/name = "(\w+)"/g)].map(([, name]) => name);
      expect(named).toEqual(['Held', 'TearDownHeld', 'RollBackHeld']);
      expect(Properties.FilterPattern).toContain('$.type = "ExecutionFailed"');
      expect(states).toEqual(expect.arrayContaining(named));
    }
    const alarm = ofType(made.monitoring, 'AWS::CloudWatch::Alarm').find(([id]) => id.startsWith('OperationsFail'))!;
    expect(JSON.stringify(alarm)).toContain('"OperationsFailedOrHeld-capstan"');
  });
});

describe('timeouts', () => {
  it.each(workerClasses)('end a pass of %s before its lease, and redeliver its message afterwards', (worker) => {
    const [, { Timeout }] = functionOf(`reconcile-${worker}`);
    expect(Timeout * 1000).toBeLessThanOrEqual(times.lease - 5000);
    for (const speed of speeds) {
      const [, queue] = queueOf(`${worker}-${speed}`);
      expect(queue.VisibilityTimeout * 1000).toBeGreaterThanOrEqual(times.lease + 5000);
    }
  });

  it('allow workers to send themselves messages: a timer does so, and AWS would otherwise stop them after sixteen', () => {
    const looping = ofType(template, 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => Properties.RecursiveLoop === 'Allow')
      .map(([, { Properties }]) => Properties.FunctionName);
    expect(looping.sort()).toEqual(workerClasses.map((worker) => `capstan-reconcile-${worker}`).sort());
  });

  it('end a slow function before the gateway does, so that it can report', () => {
    expect(functionOf('api')[1].Timeout).toBeLessThan(29);
  });
});

describe('data that must survive', () => {
  it.each([
    ['AWS::DynamoDB::Table', 2, 'Retain'],
    // A failed first deployment leaves nothing in them, and the key would cost a dollar a month.
    ['AWS::KMS::Key', 2, 'RetainExceptOnCreate'],
    ['AWS::S3::Bucket', 1, 'RetainExceptOnCreate'],
  ] as const)('in %s outlives the stack', (type, count, DeletionPolicy) => {
    const kept = ofType(template, type);
    expect(kept).toHaveLength(count);
    for (const [, resource] of kept) expect(resource).toMatchObject({ DeletionPolicy, UpdateReplacePolicy: 'Retain' });
  });

  it('is protected and recoverable', () => {
    for (const [, { Properties }] of ofType(template, 'AWS::DynamoDB::Table'))
      expect(Properties).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        BillingMode: 'PAY_PER_REQUEST',
      });
  });

  it('is guarded: the guard is created last and deleted first', () => {
    const [[guard, { DependsOn = [] }]] = ofType(template, 'Custom::CapstanGuard') as [[string, Resource]];
    const others = Object.keys(template.Resources).filter((id) => id !== guard);
    expect(others.filter((id) => !DependsOn.includes(id))).toEqual([]);
  });
});

describe('the API', () => {
  const methods = () => ofType(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => Properties);

  /** The path of each resource by its ID. */
  const paths = () => {
    const resources = new Map(
      ofType(template, 'AWS::ApiGateway::Resource').map(([id, { Properties }]) => [id, Properties]),
    );
    const pathOf = (id: string): string => {
      const of = resources.get(id);
      return of ? `${pathOf((of.ParentId as { Ref: string }).Ref ?? '')}/${of.PathPart}` : '';
    };
    return (id: unknown) => pathOf((id as { Ref?: string }).Ref ?? '') || '/';
  };

  it('streams lists and watches, and buffers all other responses, on every path', () => {
    const [api, watch, reports] = ['api', 'watch', 'audit-webhook'].map((name) => functionOf(name)[0]!);
    const pathOf = paths();
    const made = methods().map(({ HttpMethod, ResourceId, Integration }) => {
      const { ResponseTransferMode: mode, TimeoutInMillis: time, Uri } = Integration as Record<string, unknown>;
      const isOf = (id: string) => JSON.stringify(Uri).includes(`"${id}"`);
      return [pathOf(ResourceId), HttpMethod, mode, time, [api, watch, reports].filter((id) => isOf(id!))];
    });
    const ofFunction = {
      api: [undefined, 29_000, [api]],
      watch: ['STREAM', 325_000, [watch]],
      'audit-webhook': [undefined, undefined, [reports]],
    };
    const expected = targets.map(({ path, method, function: serving }) => [path, method, ...ofFunction[serving]]);
    expect(made.sort()).toEqual(expected.sort());
    // API Gateway does not fall back to another resource, so each has its methods.
    const withMethods = new Set(methods().map(({ ResourceId }) => pathOf(ResourceId)));
    const without = ofType(template, 'AWS::ApiGateway::Resource')
      .map(([id]) => pathOf({ Ref: id }))
      .filter((path) => !withMethods.has(path));
    // Clients know no other path below these.
    expect(without.filter((path) => ![reportPath, ...issuerPaths].some((one) => one.startsWith(`${path}/`)))).toEqual(
      [],
    );
  });

  it('ends requests without credentials at the gateway, except for public paths', () => {
    const pathOf = paths();
    const open = methods()
      .filter(
        ({ RequestParameters: required, RequestValidatorId: validator }) =>
          validator === undefined || !(required as Record<string, boolean>)['method.request.header.Authorization'],
      )
      .map(({ ResourceId }) => pathOf(ResourceId));
    expect(open.sort()).toEqual([...issuerPaths, '/healthz', '/livez', '/readyz', '/version'].sort());
    const [[, validator] = expect.fail('no validator'), ...others] = ofType(
      template,
      'AWS::ApiGateway::RequestValidator',
    );
    expect(validator.Properties).toMatchObject({ ValidateRequestParameters: true });
    expect(others).toEqual([]);
  });

  it.each([
    ['BAD_REQUEST_PARAMETERS', unauthorized()],
    ['MISSING_AUTHENTICATION_TOKEN', notServed()],
  ])('answers %s as its own server does', (type, error) => {
    const [answer] = ofType(template, 'AWS::ApiGateway::GatewayResponse')
      .map(([, { Properties }]) => Properties)
      .filter(({ ResponseType }) => ResponseType === type);
    expect(answer!.StatusCode).toBe(String(error.code));
    expect(JSON.parse((answer!.ResponseTemplates as Record<string, string>)['application/json']!)).toEqual(
      failure(error),
    );
  });

  it('ends no stream before its function does, and leaves time to end a watch', () => {
    const { Timeout } = functionOf('watch')[1];
    expect(Timeout * 1000).toBeGreaterThan(longestWatch + 15_000);
    // API Gateway ends a stream after five minutes without a byte.
    expect(longestWatch).toBeLessThan(5 * 60_000);
  });

  it('passes bodies unchanged, and stores nothing', () => {
    const [[, api]] = ofType(template, 'AWS::ApiGateway::RestApi') as [[string, Resource]];
    expect(api.Properties).toMatchObject({ BinaryMediaTypes: ['*/*'], EndpointConfiguration: { Types: ['REGIONAL'] } });
    const [[, stage]] = ofType(template, 'AWS::ApiGateway::Stage') as [[string, Resource]];
    expect(stage.Properties.StageName).toBe('v1');
    for (const settings of stage.Properties.MethodSettings as object[])
      expect(settings).toMatchObject({ CachingEnabled: false, DataTraceEnabled: false });
    expect(JSON.stringify(stage.Properties.AccessLogSetting)).not.toMatch(/header|authoriz|context\.path/i);
  });

  it('returns a Kubernetes Status for its own errors, with Retry-After where nothing was begun', () => {
    const answers = ofType(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    const types = answers.map(({ ResponseType }) => ResponseType);
    expect(types).toEqual(expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'INTEGRATION_TIMEOUT']));
    const unbegun = ['THROTTLED', 'QUOTA_EXCEEDED', 'AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'];
    for (const { ResponseType, StatusCode, ResponseTemplates, ResponseParameters } of answers) {
      const text = (ResponseTemplates as Record<string, string>)['application/json']!;
      const status = JSON.parse(text.replace('$context.error.messageString', '"a message"'));
      expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: Number(StatusCode) });
      expect(status.reason).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(ResponseParameters).toEqual(
        unbegun.includes(String(ResponseType))
          ? { 'gatewayresponse.header.Retry-After': `'${status.details.retryAfterSeconds}'` }
          : undefined,
      );
    }
  });
});

describe('reports of the API servers of clusters', () => {
  const urlWith = (context: Record<string, unknown>): unknown => {
    const { controlPlane } = synthesise(context);
    const urls = ofType(controlPlane, 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
      const { AUDIT_WEBHOOK_URL: url } = (Properties.Environment as { Variables: Record<string, unknown> }).Variables;
      return url === undefined ? [] : [[Properties.FunctionName, JSON.stringify(url)]];
    });
    expect(urls.length).toBeLessThanOrEqual(1);
    if (urls.length > 0) expect(urls[0]![0]).toBe('capstan-reconcile-workload');
    return urls[0]?.[1];
  };
  const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000';

  it.each([
    ['under the name of the API', {}, /RestApi\w+"},"\.execute-api\.".*"\/v1\/capstan\.dev\/audit"/],
    [
      'under the user’s domain',
      { domainName: 'capstan.example.com', certificateArn: certificate },
      /^"https:\/\/capstan\.example\.com\/capstan\.dev\/audit"$/,
    ],
    [
      'through an endpoint, where the user says that hosts reach it',
      { vpcEndpointIds: 'vpce-0a1b', auditWebhook: 'true' },
      /-vpce-0a1b\.execute-api/,
    ],
  ])('are sent %s', (_, context, url) => expect(urlWith(context)).toMatch(url));

  it.each([
    ['the API refuses addresses', { allowedCidrs: '192.0.2.0/24' }],
    ['the API is private', { vpcEndpointIds: 'vpce-0a1b' }],
    ['the user says so', { auditWebhook: 'false' }],
  ])('are not sent where %s', (_, context) => expect(urlWith(context)).toBeUndefined());

  it('have their own throttle', () => {
    const [[, stage]] = ofType(template, 'AWS::ApiGateway::Stage') as [[string, Resource]];
    expect(stage.Properties.MethodSettings).toContainEqual(
      expect.objectContaining({
        HttpMethod: 'POST',
        ResourcePath: '/~1capstan.dev~1audit~1{namespace}~1{name}',
        ThrottlingRateLimit: 50,
        ThrottlingBurstLimit: 50,
      }),
    );
  });
});

describe('access to the API', () => {
  const restApi = (context: Record<string, unknown>) => {
    const { controlPlane } = synthesise(context);
    const [[, { Properties }] = expect.fail('no REST API')] = ofType(controlPlane, 'AWS::ApiGateway::RestApi');
    return { controlPlane, properties: Properties };
  };
  const denialsOf = (properties: Record<string, unknown>) =>
    (properties.Policy as { Statement: { Effect: string; Condition?: unknown }[] }).Statement.filter(
      ({ Effect }) => Effect === 'Deny',
    ).map(({ Condition }) => Condition);

  it('requires TLS 1.2, and is open to all clients with a token', () => {
    const { properties, controlPlane } = restApi({});
    expect(properties).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    expect(properties.Policy).toBeUndefined();
    expect(ofType(controlPlane, 'AWS::WAFv2::WebACLAssociation')).toEqual([]);
  });

  it('may be restricted to address ranges', () => {
    const { properties } = restApi({ allowedCidrs: '192.0.2.0/24,2001:db8::/32' });
    expect(denialsOf(properties)).toEqual([{ NotIpAddress: { 'aws:SourceIp': ['192.0.2.0/24', '2001:db8::/32'] } }]);
  });

  it('may be filtered by a web ACL', () => {
    const webAclArn =
      'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/front/0a1b2c3d-0000-4000-8000-000000000000';
    const { controlPlane } = restApi({ webAclArn });
    expect(ofType(controlPlane, 'AWS::WAFv2::WebACLAssociation')).toMatchObject([
      [expect.any(String), { Properties: { WebACLArn: webAclArn } }],
    ]);
  });

  it('may be restricted to VPC endpoints', () => {
    const { properties, controlPlane } = restApi({ vpcEndpointIds: 'vpce-0a1b', allowedCidrs: '10.0.0.0/8' });
    expect(properties.EndpointConfiguration).toEqual({ Types: ['PRIVATE'], VpcEndpointIds: ['vpce-0a1b'] });
    expect(denialsOf(properties)).toEqual([
      { NotIpAddress: { 'aws:VpcSourceIp': ['10.0.0.0/8'] } },
      { StringNotEquals: { 'aws:SourceVpce': ['vpce-0a1b'] } },
    ]);
    expect(evaluated(controlPlane.Outputs.Url!.Value, (name) => (name.startsWith('RestApi') ? 'API' : name))).toMatch(
      /^https:\/\/API-vpce-0a1b\.execute-api\..*\/v1$/,
    );
  });

  it.each([
    { context: { allowedCidrs: '10.0.0.0' }, wrong: 'is no CIDR' },
    { context: { regions: 'eu-cental-1' }, wrong: 'is no region of AWS that Capstan knows' },
    { context: { vpcId: 'vpc-123' }, wrong: 'is no id of a VPC such as vpc-0123456789abcdef0' },
    { context: { oidc: '{}' }, wrong: 'is no list of providers' },
    {
      context: { webAclArn: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/a/0' },
      wrong: 'is no ARN of a regional web ACL',
    },
    { context: { vpcEndpointIds: 'vpc-1' }, wrong: 'is no id of a VPC endpoint' },
  ])('rejects invalid settings: $wrong', ({ context, wrong }) => expect(() => synthesise(context)).toThrow(wrong));
});

describe('the audit log', () => {
  it('has its own log group, which outlives the stack and which only the API writes', () => {
    const { controlPlane } = synthesise({ auditRetentionDays: '731' });
    const levels = (level?: string) =>
      ofType(
        synthesise(level === undefined ? {} : { auditLevel: level }).controlPlane,
        'AWS::Lambda::Function',
      ).flatMap(
        ([, { Properties }]) =>
          (Properties.Environment as { Variables?: Record<string, string> })?.Variables?.AUDIT_LEVEL ?? [],
      );
    expect([levels(), new Set(levels('Request'))]).toEqual([[], new Set(['Request'])]);
    expect(() => synthesise({ auditLevel: 'All' })).toThrow('neither Metadata nor Request');
    const [id, group] = ofType(controlPlane, 'AWS::Logs::LogGroup').find(([name]) => name.startsWith('AuditLog'))!;
    expect(group).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', Properties: { RetentionInDays: 731 } });
    const readers = ofType(controlPlane, 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Environment).includes(id))
      .map(([name]) => name.replace(/[0-9A-F]{8}$/, ''));
    expect(readers.sort()).toEqual(['Api', 'Watch']);
  });

  it('and the access log record nothing from the client but the path', () => {
    const { controlPlane } = synthesise();
    const [[, { Properties }] = expect.fail('no stage')] = ofType(controlPlane, 'AWS::ApiGateway::Stage');
    const { Format } = Properties.AccessLogSetting as { Format: string };
    expect(Object.keys(JSON.parse(Format))).not.toContain('message');
    expect(Format).not.toContain('$context.error.message');
  });
});

describe('queues', () => {
  it('require TLS, and move messages that cannot be handled to dead-letter queues', () => {
    const policies = ofType(template, 'AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
    const queues = ofType(template, 'AWS::SQS::Queue');
    expect(queues).toHaveLength(workerClasses.length * speeds.length + 1);
    for (const [id, { Properties }] of queues) {
      const policy = policies.find(({ Queues }) => JSON.stringify(Queues) === JSON.stringify([{ Ref: id }]));
      expect(JSON.stringify(policy)).toContain('"Condition":{"Bool":{"aws:SecureTransport":"false"}},"Effect":"Deny"');
      expect('RedrivePolicy' in Properties).toBe(Properties.QueueName !== 'capstan-dead');
    }
  });
});

describe('monitoring', () => {
  it('outputs who hears the alarms, which the CDK prints', () => {
    const outputOf = (context: Record<string, unknown>) => JSON.stringify(synthesise(context).monitoring.Outputs);
    expect(outputOf({})).toMatch(/AlarmsHeardBy.*NO USER: give --context alarmEmail/);
    expect(outputOf({ alarmEmail: 'a@b.example' })).toMatch(/AlarmsHeardBy.*a@b\.example/);
  });

  const alarms = () => ofType(made.monitoring, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);

  it('costs at most four dollars a month including the key', () => {
    expect(alarms().length).toBeLessThanOrEqual(16);
    const looked = alarms().flatMap(
      ({ Metrics }) =>
        (Metrics as { MetricStat?: object }[] | undefined)?.filter(({ MetricStat }) => MetricStat) ?? [{}],
    );
    expect(looked.length * 0.1 + 1).toBeLessThanOrEqual(4);
  });

  it('has one dashboard of free metrics', () => {
    const [[, { Properties }]] = ofType(made.monitoring, 'AWS::CloudWatch::Dashboard') as [[string, Resource]];
    const body = evaluated(Properties.DashboardBody, (reference) => reference) as string;
    const { widgets } = JSON.parse(body) as { widgets: { properties: { metrics?: unknown[] } }[] };
    expect(widgets.flatMap((widget) => widget.properties.metrics ?? []).length).toBeLessThanOrEqual(50);
    // What means the same has the name that it has in /metrics.
    const labels = [...body.matchAll(/"label":"([a-z]\w+_\w+)/g)].map(([, label]) => label);
    const served = ['runtime/metrics/index.ts', 'local/process-metrics.ts']
      .map((file) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8'))
      .join();
    expect(new Set(labels)).toEqual(new Set(['apiserver_request_total', 'apiserver_longrunning_requests']));
    for (const label of labels) expect(served).toContain(`name: '${label}'`);
  });

  it('notifies the operator, and says what to do', () => {
    for (const { AlarmActions, AlarmDescription } of alarms()) {
      expect(AlarmActions).toHaveLength(1);
      expect(String(AlarmDescription).length).toBeGreaterThan(40);
    }
  });

  it('contains what some implementations of CloudFormation lack', () => {
    const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
    for (const type of ['AWS::Logs::MetricFilter', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'])
      expect(types).not.toContain(type);
  });
});

describe('the context', () => {
  it('reports all its faults at once', () => {
    const wrong = {
      installation: 'Capstan!',
      maxConcurrency: '1',
      watches: '0',
      logRetentionDays: '31',
      oidc: '{',
      domainName: 'a.example',
    };
    expect(() => synthesise(wrong)).toThrow(
      /the context is wrong: installation is not .*; oidc is no JSON; logRetentionDays is none of .*; maxConcurrency .*; watches .*/,
    );
    expect(() => synthesise({ domainName: 'a.example' })).toThrow('domainName and certificateArn come together');
  });

  it.each([
    { auditLevel: 'Metadata', users: 32 },
    { auditLevel: 'Request', users: 31 },
  ])('stays within the size limit of a function’s environment: $auditLevel', ({ auditLevel, users }) => {
    const administrators = (count: number) =>
      Array.from({ length: count }, (_, i) => `arn:aws:iam::111122223333:role/platform/engineers-of-team-${i + 100}`);
    expect(() => synthesise({ administrators: administrators(60) })).toThrow(/list a role that all of them can assume/);
    const { controlPlane } = synthesise({
      administrators: administrators(users),
      installation: 'i'.repeat(30),
      auditLevel,
    });
    const [, { Properties }] = ofType(controlPlane, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Api'))!;
    const { Variables } = Properties.Environment as { Variables: Record<string, unknown> };
    // Values known only at deployment are ARNs, URLs or names that CloudFormation generates.
    const texts = Object.entries(Variables).map(
      ([name, value]) => name + String(evaluated(value, () => 'x'.repeat(100))),
    );
    expect(texts.join('').length).toBeLessThanOrEqual(4096);
  });
});

// Each account and region has a schedule group `default`, which cannot be created.
it('an installation may be called default', () => {
  const { controlPlane } = synthesise({ installation: 'default' });
  const groups = ofType(controlPlane, 'AWS::Scheduler::ScheduleGroup').map(([, { Properties }]) => Properties.Name);
  expect(groups).toEqual([expect.not.stringMatching(/^default$/)]);
  const schedules = ofType(controlPlane, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties.GroupName);
  expect(new Set(schedules)).toEqual(new Set(groups));
});

describe('a domain', () => {
  it('points to the API once its owner creates the DNS record that the stack outputs', () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/a';
    const { controlPlane } = synthesise({ domainName: 'a.example', certificateArn });
    const [[id]] = ofType(controlPlane, 'AWS::ApiGateway::DomainName') as [[string, Resource]];
    expect(controlPlane.Outputs.Url).toMatchObject({ Value: 'https://a.example' });
    expect(controlPlane.Outputs.DomainTarget).toEqual({ Value: { 'Fn::GetAtt': [id, 'RegionalDomainName'] } });
  });
  it('has no DNS output without a domain', () => expect(template.Outputs).not.toHaveProperty('DomainTarget'));
});

describe('the templates', () => {
  /** Removes the assets of functions and deployments. */
  const withoutHashes = (text: string) => text.replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH');
  /** docs/permissions.md shows the permissions of roles, and has its own test. */
  const withoutPermissions = (key: string, value: unknown) =>
    key === 'PolicyDocument' && JSON.stringify(value).includes('"Sid"') ? 'as in docs/permissions.md' : value;

  it.each(['controlPlane', 'monitoring'] as const)('of %s match the snapshot', async (name) => {
    const text = withoutHashes(
      stringify(JSON.parse(JSON.stringify(made[name], withoutPermissions)), {
        lineWidth: 120,
        aliasDuplicateObjects: false,
      }),
    );
    await expect(text).toMatchFileSnapshot(`snapshots/${name}.yaml`);
  });
});
