/** Where moto 5.2.5 and MiniStack 1.4.21 differ from AWS. */
import type { Deviations } from '../../contract/deviations.ts';

const code = (actual: string, expected: string) => `expected '${actual}' to be '${expected}'`;
const accepted = (expected: string) => code('accepted', expected);

export const moto: Deviations = {
  'gives a new VPC a main route table and a default security group that cannot be deleted': {
    fails: accepted('CannotDelete'),
    because: 'deletes the default security group of a VPC that is there',
  },
  'attaches one internet gateway to a VPC, and deletes it only detached': {
    fails: accepted('InvalidParameterValue'),
    because: 'attaches a second internet gateway to a VPC',
  },
  'keeps the address, the subnet and the way out of a NAT gateway while it is there': {
    fails: accepted('DependencyViolation'),
    because: 'lets go of subnets, internet gateways and addresses that a NAT gateway uses',
  },
  'makes one NAT gateway for one client token, and refuses the token with other parameters': {
    fails: 'is already associated',
    because: 'does not look at client tokens, so it makes a second one, whose address is taken',
  },
  'associates a subnet with one route table at a time': {
    fails: accepted('Resource.AlreadyAssociated'),
    because: 'moves a subnet that is associated already to the other route table',
  },
  'says which resources keep a VPC from being deleted': {
    fails: accepted('DependencyViolation'),
    because: 'deletes a VPC that has an internet gateway attached',
  },
  'adds and removes exactly the rules named, grouped by protocol and ports': {
    fails: 'The specified rule does not exist in this security group',
    because: 'compares descriptions, so it does not find a rule that is revoked without one',
  },
  'keeps a group that another group refers to': {
    fails: accepted('DependencyViolation'),
    because: 'deletes a security group that rules of another one name',
  },
  'are tagged one thing at a time': {
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
  'is found by client token': {
    fails: 'ec2 in us-east-1 answered with status 500',
    because: 'does not know the filter, and answers with a page about its own failure',
  },
  'starts one instance for one client token': {
    fails: "to be 'i-",
    because: 'does not look at client tokens, so it starts a second instance',
  },
  'refuses to start one with an unknown type': {
    fails: code('InvalidInstanceType.NotFound', 'InvalidParameterValue'),
    because: 'has a code of its own for unknown instance types',
  },
  'refuses to start one with an unknown profile': {
    fails: code('NoSuchEntity', 'InvalidParameterValue'),
    because: 'answers with the code of IAM instead of that of EC2',
  },
  'refuses keys that begin with aws:': {
    fails: accepted('InvalidParameterValue'),
    because: 'accepts reserved tag keys in a creation',
  },
  'DescribeNatGateways says NotFound for one that is not there': {
    fails: '"accepted"',
    because: 'answers with an empty list',
  },
  'DeleteNatGateway says NotFound for one that is not there': {
    fails: '"ServiceUnavailable"',
    because: 'fails with a page about its own failure',
  },
  'answer a repeated creation with what is there, and a different one with a refusal': {
    fails: "to be 'arn:aws:elasticloadbalancing:",
    because: 'makes another load balancer of the same name',
  },
  'refuse a name longer than 32 characters': {
    fails: accepted('ValidationError'),
    because: 'accepts any name of a load balancer',
  },
  'refuse a name with a dot': { fails: accepted('ValidationError'), because: 'accepts any name of a load balancer' },
  'refuse a name ending in a hyphen': {
    fails: accepted('ValidationError'),
    because: 'accepts any name of a load balancer',
  },
  'take one subnet a zone': {
    fails: accepted('InvalidConfigurationRequest'),
    because: 'accepts two subnets of one zone',
  },
};

export const miniStackTable: Deviations = {
  'answers pages of at most a megabyte': {
    fails: 'expected 8 to be less than or equal to 3',
    because: 'answers a query of any size in one page',
  },
};

export const miniStackWorkflows: Deviations = {
  'says why something was stopped': {
    fails: "expected { status: 'ABORTED' } to deeply equal",
    because: 'keeps neither the error nor the cause that an execution was stopped with',
  },
};
