/** The API's REST API, because only REST APIs stream responses. */
import {
  aws_certificatemanager as acm,
  aws_apigateway as apigateway,
  Duration,
  aws_ec2 as ec2,
  aws_iam as iam,
  aws_logs as logs,
  RemovalPolicy,
  Stack,
  aws_wafv2 as wafv2,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Functions } from './functions.ts';
import { createGatewayResponses } from './gateway-responses.ts';
import { seconds } from './limits.ts';
import type { Names } from './names.ts';
import { auditWebhookPath, type Serving, targets } from './routes.ts';
import type { Settings } from './settings.ts';
import { type Throttles, throttlesOf } from './throttles.ts';

export interface ApiOptions {
  functions: Functions;
  names: Names;
  settings: Settings;
}

export interface Api {
  /** The URL of the API, without a trailing slash. */
  url: string;
  /** The DNS target for the user's domain. */
  domainTarget?: string;
  /** Where API servers of clusters report; undefined where they cannot reach it. */
  auditWebhookUrl?: string;
}

export const apiStage = 'v1';

/** Identity, route, duration and result; no bodies, no headers and no path, whose length a stranger chooses. */
const accessLine = (): string => {
  const { AccessLogField: field } = apigateway;
  return JSON.stringify({
    request: field.contextRequestId(),
    at: field.contextRequestTime(),
    from: field.contextIdentitySourceIp(),
    method: field.contextHttpMethod(),
    route: field.contextResourcePath(),
    status: field.contextStatus(),
    bytes: field.contextResponseLength(),
    milliseconds: field.contextResponseLatency(),
    // Not the message, which repeats parts of the request unescaped.
    error: field.contextErrorResponseType(),
  });
};

/**
 * API Gateway writes all logs of an account under one role. It stays after the stack, because other APIs may
 * use it.
 */
const createAccountLogging = (scope: Construct): apigateway.CfnAccount => {
  const role = new iam.Role(scope, 'AccountLoggingRole', {
    assumedBy: new iam.ServicePrincipal('apigateway.amazonaws.com'),
    managedPolicies: [iam.ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
  });
  const account = new apigateway.CfnAccount(scope, 'AccountLogging', { cloudWatchRoleArn: role.roleArn });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
};

const createDomain = (scope: Construct, restApi: apigateway.RestApi, domainName: string, certificateArn: string) =>
  new apigateway.DomainName(scope, 'Domain', {
    domainName,
    certificate: acm.Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    endpointType: apigateway.EndpointType.REGIONAL,
    securityPolicy: apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
    endpointAccessMode: apigateway.EndpointAccessMode.STRICT,
    mapping: restApi,
  });

/**
 * TLS 1.3, or 1.2 with forward secrecy. Strict access refuses requests whose TLS server name is another API's; a private API is
 * also reached under the names of its endpoints.
 */
const transportOf = ({ vpcEndpointIds }: Settings) => ({
  securityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  endpointAccessMode: vpcEndpointIds ? 'BASIC' : 'STRICT',
});

const endpointOf = (scope: Construct, { vpcEndpointIds }: Settings): apigateway.EndpointConfiguration => {
  if (!vpcEndpointIds) return { types: [apigateway.EndpointType.REGIONAL] };
  const vpcEndpoints = vpcEndpointIds.map((vpcEndpointId) =>
    ec2.InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(scope, `Endpoint${vpcEndpointId}`, {
      vpcEndpointId,
      port: 443,
    }),
  );
  return { types: [apigateway.EndpointType.PRIVATE], vpcEndpoints };
};

/** Which clients reach the gateway at all; each still needs a token. */
const policyOf = ({ allowedCidrs, vpcEndpointIds }: Settings): { policy?: iam.PolicyDocument } => {
  if (!allowedCidrs && !vpcEndpointIds) return {};
  const everything = {
    actions: ['execute-api:Invoke'],
    resources: ['execute-api:/*'],
    principals: [new iam.AnyPrincipal()],
  };
  const denied = (conditions: Record<string, Record<string, readonly string[]>>) =>
    new iam.PolicyStatement({ ...everything, effect: iam.Effect.DENY, conditions });
  // A request through an endpoint has an address of the endpoint's network.
  const address = vpcEndpointIds ? 'aws:VpcSourceIp' : 'aws:SourceIp';
  return {
    policy: new iam.PolicyDocument({
      statements: [
        new iam.PolicyStatement(everything),
        ...(allowedCidrs ? [denied({ NotIpAddress: { [address]: allowedCidrs } })] : []),
        ...(vpcEndpointIds ? [denied({ StringNotEquals: { 'aws:SourceVpce': vpcEndpointIds } })] : []),
      ],
    }),
  };
};

const protect = (scope: Construct, restApi: apigateway.RestApi, settings: Settings): void => {
  const { webAclArn } = settings;
  Object.assign(restApi.node.defaultChild as apigateway.CfnRestApi, transportOf(settings));
  if (webAclArn === undefined) return;
  const { stageArn: resourceArn } = restApi.deploymentStage;
  new wafv2.CfnWebACLAssociation(scope, 'WebAcl', { resourceArn, webAclArn });
};

/**
 * A private API has a name per endpoint, whatever DNS its network uses. Names no stage as a resource: functions
 * know the URL, and the stage depends on them.
 */
const urlOf = (restApi: apigateway.RestApi, { vpcEndpointIds, domainName }: Settings): string => {
  if (domainName !== undefined) return `https://${domainName}`;
  const [endpoint] = vpcEndpointIds ?? [];
  const { region, urlSuffix } = Stack.of(restApi);
  const host = endpoint === undefined ? restApi.restApiId : `${restApi.restApiId}-${endpoint}`;
  return `https://${host}.execute-api.${region}.${urlSuffix}/${apiStage}`;
};

/** By default not where the API refuses addresses, because those of future hosts are unknown. */
const isReachedByHosts = ({ auditWebhook, allowedCidrs, vpcEndpointIds }: Settings): boolean =>
  auditWebhook ?? !(allowedCidrs ?? vpcEndpointIds);

const loggedMethod = {
  cachingEnabled: false,
  metricsEnabled: false,
  loggingLevel: apigateway.MethodLoggingLevel.ERROR,
  // The trace would contain bodies and headers.
  dataTraceEnabled: false,
};

const methodOptionsOf = ({ of }: Throttles): Record<string, apigateway.MethodDeploymentOptions> =>
  Object.fromEntries(
    of.map(({ path, method, rate, burst }) => [
      `${path}/${method}`,
      { ...loggedMethod, throttlingRateLimit: rate, throttlingBurstLimit: burst },
    ]),
  );

const createMethods = (restApi: apigateway.RestApi, { api, watch, 'audit-webhook': auditWebhook }: Functions): void => {
  const answers = new apigateway.LambdaIntegration(api.function, {
    timeout: Duration.seconds(29),
    // One permission for all paths.
    scopePermissionToMethod: false,
  });
  const streams = new apigateway.LambdaIntegration(watch.function, {
    scopePermissionToMethod: false,
    responseTransferMode: apigateway.ResponseTransferMode.STREAM,
    timeout: Duration.seconds(seconds.watch + 5),
  });
  const reports = new apigateway.LambdaIntegration(auditWebhook.function, { scopePermissionToMethod: false });
  const integrations: Record<Serving, apigateway.Integration> = {
    api: answers,
    watch: streams,
    'audit-webhook': reports,
  };
  const requestValidator = restApi.addRequestValidator('Credentials', { validateRequestParameters: true });
  // A request without credentials invokes no function.
  const authorized = { requestValidator, requestParameters: { 'method.request.header.Authorization': true } };
  for (const { path, method, function: serving, isPublic } of targets)
    restApi.root.resourceForPath(path).addMethod(method, integrations[serving], isPublic ? {} : authorized);
};

export const createApi = (scope: Construct, { functions, names, settings }: ApiOptions): Api => {
  const { domainName, certificateArn } = settings;
  const throttles = throttlesOf(settings);
  const log = new logs.LogGroup(scope, 'AccessLog', {
    logGroupName: names.log('access'),
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const restApi = new apigateway.RestApi(scope, 'RestApi', {
    restApiName: names.api,
    description: `The Kubernetes API of the Capstan installation ${settings.installation}`,
    endpointConfiguration: endpointOf(scope, settings),
    ...policyOf(settings),
    // Bodies pass unchanged in both directions: protobuf and compressed ones.
    binaryMediaTypes: ['*/*'],
    disableExecuteApiEndpoint: domainName !== undefined,
    cloudWatchRole: false,
    deployOptions: {
      stageName: apiStage,
      throttlingRateLimit: throttles.least.rate,
      throttlingBurstLimit: throttles.least.burst,
      tracingEnabled: settings.tracing,
      ...loggedMethod,
      methodOptions: methodOptionsOf(throttles),
      accessLogDestination: new apigateway.LogGroupLogDestination(log),
      accessLogFormat: apigateway.AccessLogFormat.custom(accessLine()),
    },
  });
  if (settings.accountLogging) restApi.deploymentStage.node.addDependency(createAccountLogging(scope));
  // The outputs contain the URL under a documented name.
  restApi.node.tryRemoveChild('Endpoint');
  createMethods(restApi, functions);
  createGatewayResponses(scope, restApi);
  protect(scope, restApi, settings);
  const url = urlOf(restApi, settings);
  const api = { url, ...(isReachedByHosts(settings) && { auditWebhookUrl: `${url}${auditWebhookPath}` }) };
  if (domainName === undefined || certificateArn === undefined) return api;
  const { domainNameAliasDomainName: domainTarget } = createDomain(scope, restApi, domainName, certificateArn);
  return { ...api, domainTarget };
};
