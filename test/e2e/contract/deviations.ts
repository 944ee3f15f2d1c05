/** Where moto 5.2.5 and MiniStack 1.4.21 differ from AWS. */
import type { Deviations } from '../../contract/deviations.ts';

const code = (actual: string, expected: string) => `expected '${actual}' to be '${expected}'`;
const accepted = (expected: string) => code('accepted', expected);

export const moto: Deviations = {
  'knows the price of an instance type on demand': {
    fails: 'pricing in us-east-1 answered with status 500',
    because: 'fails at every question for prices',
  },
  'gives a new VPC a main route table and a default security group that cannot be deleted': {
    fails: accepted('CannotDelete'),
    because: 'deletes the default security group of an existing VPC',
  },
  'attaches one internet gateway to a VPC, and deletes it only detached': {
    fails: accepted('InvalidParameterValue'),
    because: 'attaches a second internet gateway to a VPC',
  },
  'keeps the address, the subnet and the internet gateway of an existing NAT gateway': {
    fails: accepted('DependencyViolation'),
    because: 'releases subnets, internet gateways and addresses that a NAT gateway uses',
  },
  'creates one NAT gateway per client token, and refuses the token with other parameters': {
    fails: 'is already associated',
    because: 'ignores client tokens, so it creates a second one, whose address is in use',
  },
  'associates a subnet with one route table at a time': {
    fails: accepted('Resource.AlreadyAssociated'),
    because: 'moves an associated subnet to the other route table',
  },
  'names the resources that keep a VPC from being deleted': {
    fails: accepted('DependencyViolation'),
    because: 'deletes a VPC that has an internet gateway attached',
  },
  'adds and removes exactly the named rules, grouped by protocol and ports': {
    fails: 'The specified rule does not exist in this security group',
    because: 'compares descriptions, so it does not find a rule that is revoked without one',
  },
  'keeps a group that another group refers to': {
    fails: accepted('DependencyViolation'),
    because: 'deletes a security group that rules of another one refer to',
  },
  'are tagged one resource per call': {
    fails: accepted('ValidationError'),
    because: 'tags several load balancers and target groups in one call',
  },
  'keeps its security group from being deleted': {
    fails: accepted('DependencyViolation'),
    because: 'deletes the security group of a running instance',
  },
  'keeps its subnet from being deleted': {
    fails: accepted('DependencyViolation'),
    because: 'deletes the subnet of a running instance',
  },
  'starts at the address of a terminated instance': {
    fails: 'answered with status 500',
    because: 'keeps the address of a terminated instance, and answers with an HTML error page',
  },
  'refuses an address that another has, that EC2 keeps, or of another network': {
    fails: code('ServiceUnavailable', 'InvalidParameterValue'),
    because: 'answers with an HTML error page to an address that it cannot give',
  },
  'is found by client token': {
    fails: 'ec2 in us-east-1 answered with status 500',
    because: 'does not know the filter, and answers with an HTML error page',
  },
  'starts one instance per client token': {
    fails: "to be 'i-",
    because: 'ignores client tokens, so it starts a second instance',
  },
  'refuses to start one with an unknown type': {
    fails: code('InvalidInstanceType.NotFound', 'InvalidParameterValue'),
    because: 'has a different code for unknown instance types',
  },
  'refuses to start one with an unknown profile': {
    fails: code('NoSuchEntity', 'InvalidParameterValue'),
    because: 'answers with the code of IAM instead of that of EC2',
  },
  'refuses keys that begin with aws:': {
    fails: accepted('InvalidParameterValue'),
    because: 'accepts reserved tag keys on creation',
  },
  'DescribeNatGateways returns NotFound for a missing one': {
    fails: '"accepted"',
    because: 'answers with an empty list',
  },
  'DeleteNatGateway returns NotFound for a missing one': {
    fails: '"ServiceUnavailable"',
    because: 'fails with an HTML error page',
  },
  'return the existing one for a repeated creation, and reject a different one': {
    fails: "to be 'arn:aws:elasticloadbalancing:",
    because: 'creates another load balancer of the same name',
  },
  'refuse a name longer than 32 characters': {
    fails: accepted('ValidationError'),
    because: 'accepts any load balancer name',
  },
  'refuse a name with a dot': { fails: accepted('ValidationError'), because: 'accepts any load balancer name' },
  'refuse a name ending in a hyphen': {
    fails: accepted('ValidationError'),
    because: 'accepts any load balancer name',
  },
  'accept one subnet per zone': {
    fails: accepted('InvalidConfigurationRequest'),
    because: 'accepts two subnets of one zone',
  },
  'register an instance once': {
    fails: 'to deeply equal',
    because: 'lists an instance as often as it was registered',
  },
  'register nothing if they do not exist': {
    fails: code('ServiceUnavailable', 'LoadBalancerNotFound'),
    because: 'fails with an HTML error page',
  },
  'return the existing one for an equal creation': {
    fails: 'already exists for this account: api',
    because: 'compares only the name',
  },
  'reject two subnets of one zone': {
    fails: accepted('InvalidConfigurationRequest'),
    because: 'accepts two subnets of one zone',
  },
  'keep idle connections for at most 4000 seconds': {
    fails: accepted('InvalidConfigurationRequest'),
    because: 'accepts any idle timeout',
  },
  'reject a security group that does not exist': {
    fails: code('ValidationError', 'InvalidSecurityGroup'),
    because: 'has a different code',
  },
  'know no instance that does not exist': {
    fails: accepted('InvalidInstance'),
    because: 'registers any instance',
  },
  'are found by the tagging API with the other load balancers': {
    fails: "expected [] to deeply equal [ 'api' ]",
    because: 'lists classic load balancers under a type of its own',
  },
  'reject a name that is too long': {
    fails: accepted('ValidationError'),
    because: 'accepts any load balancer name',
  },
  'reject a name that has a dot': {
    fails: accepted('ValidationError'),
    because: 'accepts any load balancer name',
  },
  'reject a name that ends in a hyphen': {
    fails: accepted('ValidationError'),
    because: 'accepts any load balancer name',
  },
  'reject a health check without a path': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with the path of another protocol': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with a timeout as long as the interval': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with a timeout of over a minute': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with an interval under five seconds': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with a threshold of one': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
  'reject a health check with a threshold over ten': {
    fails: accepted('ValidationError'),
    because: 'accepts any health check',
  },
};

export const motoGroups: Deviations = {
  'is not found under another id': {
    fails: accepted('InvalidLaunchTemplateId.NotFound'),
    because: 'answers with an empty list',
  },
  'loses versions, but not the default one': {
    fails: 'answered with status 500',
    because: 'does not know the call, and answers with an HTML error page',
  },
  'is gone once it is deleted': {
    fails: 'InvalidLaunchTemplateName.NotFoundExc',
    because: 'answers to an id with the code for a name',
  },
  'has a warm-up, and whether it replaces spot instances early': {
    fails: 'to match object',
    because: 'ignores the warm-up',
  },
  'has a name of its own, and is missing from a list without an error': {
    fails: accepted('AlreadyExists'),
    because: 'replaces a group of the same name',
  },
  'spreads its instances over its zones': {
    fails: 'to deeply equal',
    because: 'launches all instances in the first zone',
  },
  'refuses a desired capacity outside of its bounds': {
    fails: accepted('ValidationError'),
    because: 'accepts any desired capacity',
  },
  'refuses a minimum above its maximum': { fails: accepted('ValidationError'), because: 'accepts any bounds' },
  'has the hooks of its creation': { fails: 'expected [] to match object', because: 'ignores hooks at creation' },
  'holds a terminating instance until its hook is answered': {
    fails: '"AutoScalingGroupName":"workers"',
    because: 'terminates instances without their hooks',
  },
  'replaces its instances one after the other': {
    fails: 'answered with status 500',
    because: 'does not know instance refreshes, and answers with an HTML error page',
  },
  'has one refresh at a time, which can be cancelled': {
    fails: code('ServiceUnavailable', 'ActiveInstanceRefreshNotFound'),
    because: 'does not know instance refreshes, and answers with an HTML error page',
  },
  'tells what it has done': { fails: 'expected [] to match object', because: 'has no activities' },
  'is deleted with its instances only by force': {
    fails: accepted('ResourceInUse'),
    because: 'deletes a group that has instances',
  },
};

export const miniStackGroups: Deviations = {
  'keeps what it was made of': { fails: 'to match object', because: 'drops metadata options' },
  'is found by the tags of its creation': { fails: 'expected [] to match object', because: 'drops them' },
  'is not found under another id': {
    fails: accepted('InvalidLaunchTemplateId.NotFound'),
    because: 'answers with an empty list',
  },
  'is not found under another name': {
    // Of longer codes the message has only the beginning.
    fails: "expected 'accepted' to be 'InvalidLaunchTemplateName.NotFoundExc",
    because: 'answers with an empty list',
  },
  'loses versions, but not the default one': {
    fails: 'Unknown EC2 action: DeleteLaunchTemplateVersions',
    because: 'does not know the call',
  },
  'is gone once it is deleted': {
    fails: 'InvalidLaunchTemplateId.NotFoundExcep',
    because: 'has a different code for ids',
  },
  'has a warm-up, and whether it replaces spot instances early': { fails: 'to match object', because: 'drops both' },
  'has a name of its own, and is missing from a list without an error': {
    fails: code('AlreadyExistsFault', 'AlreadyExists'),
    because: 'has the name of the error instead of its code',
  },
  'launches instances that carry its name and its tags': {
    fails: 'does not exist',
    because: 'makes up instances that EC2 does not know',
  },
  'spreads its instances over its zones': {
    fails: 'to deeply equal',
    because: 'launches all instances in the first zone',
  },
  'refuses a desired capacity outside of its bounds': {
    fails: accepted('ValidationError'),
    because: 'accepts any desired capacity',
  },
  'refuses a minimum above its maximum': { fails: accepted('ValidationError'), because: 'accepts any bounds' },
  'is needed by every call that names one': {
    fails: accepted('ValidationError'),
    because: 'deletes a group that does not exist',
  },
  'replaces an instance that is terminated': {
    fails: 'does not exist',
    because: 'makes up instances that EC2 does not know',
  },
  'terminates an instance on request, without a replacement': {
    fails: 'Unknown AutoScaling action',
    because: 'does not know the call',
  },
  'suspends and resumes processes': { fails: 'Unknown AutoScaling action', because: 'does not know the call' },
  'has several types and markets': { fails: 'to match object', because: 'drops the mixed instances policy' },
  'has the hooks of its creation': { fails: 'expected [] to match object', because: 'ignores hooks at creation' },
  'holds a terminating instance until its hook is answered': {
    fails: '"AutoScalingGroupName":"workers"',
    because: 'terminates instances without their hooks',
  },
  'replaces its instances one after the other': {
    fails: 'to deeply equal []',
    because: 'reports a refresh as done that replaced nothing',
  },
  'has one refresh at a time, which can be cancelled': {
    fails: accepted('InstanceRefreshInProgress'),
    because: 'is done with a refresh at once',
  },
  'tells what it has done': { fails: 'expected [] to match object', because: 'has no activities' },
  'is deleted with its instances only by force': {
    fails: accepted('ResourceInUse'),
    because: 'deletes a group that has instances',
  },
};

export const miniStackTable: Deviations = {
  'returns pages of at most one megabyte': {
    fails: 'expected 8 to be less than or equal to 3',
    because: 'answers a query of any size in one page',
  },
};

export const miniStackWorkflows: Deviations = {
  'reports why an execution was stopped': {
    fails: "expected { status: 'ABORTED' } to deeply equal",
    because: 'keeps neither the error nor the cause that an execution was stopped with',
  },
};
