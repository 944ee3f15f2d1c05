/**
 * The optional front: two small tasks behind a load balancer that presents the certificate. A task
 * runs a file from the CDK's bucket on a public Node image, so that deploying it needs no Docker.
 */
import { join } from 'node:path';
import {
  aws_certificatemanager as acm,
  aws_s3_assets as assets,
  Duration,
  aws_ec2 as ec2,
  aws_ecs as ecs,
  aws_elasticloadbalancingv2 as elb,
  aws_iam as iam,
  aws_logs as logs,
  RemovalPolicy,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Environment } from './functions.ts';
import type { Names } from './names.ts';
import type { Settings } from './settings.ts';

export interface FrontOptions {
  /** The folder with one folder per function, and one for the front. */
  code: string;
  names: Names;
  settings: Settings;
  /** The environment of the serving functions. */
  environment: Environment;
}

export interface Front {
  url: string;
  /** The DNS target for the domain. */
  domainTarget: string;
  role: iam.Role;
}

const port = 8443;
const folder = '/code';
/** In two zones, so that a deployment, a crash or a lost zone leaves one. */
const tasks = 2;
/** By the digests of their indexes: a tag can be moved to another image. */
const images = {
  /** aws-cli 2.35.11 */
  fetch: 'public.ecr.aws/aws-cli/aws-cli@sha256:749bfaf91d690b9a1768083822d620f96c19defdf9ca2dc227eb3695281fda5b',
  /** node 24.16.0-slim */
  node: 'public.ecr.aws/docker/library/node@sha256:242549cd46785b480c832479a730f4f2a20865d61ea2e404fdb2a5c3d3b73ecf',
};

/** Without a NAT gateway, which costs: a task has a public address, and only the load balancer reaches it. */
const createVpc = (scope: Construct): ec2.Vpc =>
  new ec2.Vpc(scope, 'FrontNetwork', {
    ipAddresses: ec2.IpAddresses.cidr('10.255.255.0/26'),
    maxAzs: 2,
    natGateways: 0,
    subnetConfiguration: [{ name: 'Public', subnetType: ec2.SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
    restrictDefaultSecurityGroup: false,
    gatewayEndpoints: { Table: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB } },
  });

const createTask = (scope: Construct, { code, names, settings, environment }: FrontOptions, role: iam.Role) => {
  const file = new assets.Asset(scope, 'FrontCode', { path: join(code, 'front', 'index.mjs') });
  role.addToPolicy(
    new iam.PolicyStatement({
      actions: ['s3:GetObject'],
      resources: [file.bucket.arnForObjects(file.s3ObjectKey)],
    }),
  );
  const log = new logs.LogGroup(scope, 'FrontLog', {
    logGroupName: names.log('front'),
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const task = new ecs.FargateTaskDefinition(scope, 'FrontTask', {
    cpu: 256,
    memoryLimitMiB: 512,
    taskRole: role,
    runtimePlatform: {
      cpuArchitecture: ecs.CpuArchitecture.ARM64,
      operatingSystemFamily: ecs.OperatingSystemFamily.LINUX,
    },
    volumes: [{ name: 'code' }],
  });
  const logging = (streamPrefix: string) => ecs.LogDrivers.awsLogs({ logGroup: log, streamPrefix });
  const fetched = task.addContainer('Fetch', {
    image: ecs.ContainerImage.fromRegistry(images.fetch),
    command: ['s3', 'cp', '--no-progress', file.s3ObjectUrl, `${folder}/index.mjs`],
    essential: false,
    readonlyRootFilesystem: true,
    logging: logging('fetch'),
  });
  const served = task.addContainer('Front', {
    image: ecs.ContainerImage.fromRegistry(images.node),
    command: ['node', '--max-old-space-size=400', `${folder}/index.mjs`],
    user: 'node',
    readonlyRootFilesystem: true,
    environment: { ...environment, HOST: '0.0.0.0', PORT: String(port) },
    logging: logging('front'),
    portMappings: [{ containerPort: port }],
  });
  for (const container of [fetched, served])
    container.addMountPoints({ sourceVolume: 'code', containerPath: folder, readOnly: container === served });
  served.addContainerDependencies({ container: fetched, condition: ecs.ContainerDependencyCondition.SUCCESS });
  return task;
};

/** Undefined when the settings name no front domain. */
export const createFront = (scope: Construct, options: FrontOptions): Front | undefined => {
  const { frontDomainName, frontCertificateArn, installation } = options.settings;
  if (frontDomainName === undefined || frontCertificateArn === undefined) return undefined;
  const role = new iam.Role(scope, 'FrontRole', { assumedBy: new iam.ServicePrincipal('ecs-tasks.amazonaws.com') });
  const vpc = createVpc(scope);
  const [balanced, running] = ['Balancer', 'Task'].map(
    (what) =>
      new ec2.SecurityGroup(scope, `Front${what}Group`, {
        vpc,
        description: `The front of the Capstan installation ${installation}: ${what.toLowerCase()}`,
        allowAllOutbound: what === 'Task',
      }),
  ) as [ec2.SecurityGroup, ec2.SecurityGroup];
  // The load balancer has only IPv4 addresses.
  const ranges = (options.settings.allowedCidrs ?? ['0.0.0.0/0']).filter((range) => !range.includes(':'));
  for (const range of ranges)
    balanced.addIngressRule(ec2.Peer.ipv4(range), ec2.Port.tcp(443), 'clients of the Kubernetes API');
  balanced.addEgressRule(running, ec2.Port.tcp(port), 'the front');
  running.addIngressRule(balanced, ec2.Port.tcp(port), 'the load balancer');
  const cluster = new ecs.Cluster(scope, 'FrontCluster', { vpc });
  const service = new ecs.FargateService(scope, 'FrontService', {
    cluster,
    taskDefinition: createTask(scope, options, role),
    desiredCount: tasks,
    assignPublicIp: true,
    securityGroups: [running],
    minHealthyPercent: 100,
    maxHealthyPercent: 200,
    circuitBreaker: { rollback: true },
  });
  const balancer = new elb.NetworkLoadBalancer(scope, 'FrontBalancer', {
    vpc,
    internetFacing: true,
    securityGroups: [balanced],
    crossZoneEnabled: true,
  });
  const listener = balancer.addListener('Tls', {
    port: 443,
    protocol: elb.Protocol.TLS,
    certificates: [acm.Certificate.fromCertificateArn(scope, 'FrontCertificate', frontCertificateArn)],
    sslPolicy: elb.SslPolicy.TLS13_RES,
  });
  listener.addTargets('Fronts', {
    port,
    // TLS up to the task; the load balancer does not verify the certificate of a target.
    protocol: elb.Protocol.TLS,
    targets: [service],
    // The load balancer adds no header: the address of the connection is the client's.
    preserveClientIp: true,
    deregistrationDelay: Duration.seconds(15),
    healthCheck: { protocol: elb.Protocol.HTTPS, path: '/readyz', interval: Duration.seconds(10) },
  });
  return { url: `https://${frontDomainName}`, domainTarget: balancer.loadBalancerDnsName, role };
};
