/** Commands that show what a refusal of AWS is about, by the code in the message of a condition. */
import type { Graph } from '../common/causes/index.ts';

/** Kinds whose spec names the region of a cluster. */
const withRegion = ['AWSCluster', 'AWSManagedControlPlane'];

export const regionOf = ({ objects }: Graph): string =>
  objects.flatMap(({ kind, spec }) =>
    withRegion.includes(kind) ? ((spec as { region?: string }).region ?? []) : [],
  )[0] ?? 'REGION';

type Remedy = (message: string, region: string) => string[];

const remedies: readonly [RegExp, Remedy][] = [
  [/UnauthorizedOperation|AccessDenied|NotAuthorized|NotPermitted/, () => ['capstan doctor']],
  [
    /ReservationCapacityExceeded|CapacityReservation|capacity reservation/i,
    (message, region) => {
      const [id] = /\bcr-\w+/.exec(message) ?? [];
      return [
        `aws ec2 describe-capacity-reservations${id ? ` --capacity-reservation-ids ${id}` : ''} --region ${region}`,
      ];
    },
  ],
  [
    /InsufficientInstanceCapacity|Unsupported|instance type/i,
    (message, region) => {
      const [type] = /\b[a-z]\w*\.\w*(large|medium|small|micro|nano|metal)\b/.exec(message) ?? ['TYPE'];
      return [
        `aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values=${type} --region ${region}`,
      ];
    },
  ],
  [
    /(VpcLimit|AddressLimit|Vcpu|VcpuLimit|InstanceLimit|SpotInstanceCount|LimitExceeded|TooMany)/,
    (message, region) => {
      const service = /LoadBalancer|TargetGroup|Listener/.test(message)
        ? 'elasticloadbalancing'
        : /Vpc|Gateway|Subnet|Route/.test(message)
          ? 'vpc'
          : 'ec2';
      return [`aws service-quotas list-service-quotas --service-code ${service} --region ${region}`];
    },
  ],
  [
    /InvalidAMIID|image/i,
    (message, region) => {
      const [image] = /\bami-\w+/.exec(message) ?? [];
      return image ? [`aws ec2 describe-images --image-ids ${image} --region ${region}`] : [];
    },
  ],
  [/IAM Instance Profile/i, () => ['aws iam list-instance-profiles']],
  [
    /InvalidSubnet|\bsubnets?\b.* does not exist|no subnet/i,
    (_, region) => [`aws ec2 describe-subnets --region ${region}`],
  ],
  [
    /InvalidGroup|security groups?\b.* does not exist/i,
    (_, region) => [`aws ec2 describe-security-groups --region ${region}`],
  ],
  [/InvalidKeyPair/, (_, region) => [`aws ec2 describe-key-pairs --region ${region}`]],
  [
    /DependencyViolation/,
    (message, region) => {
      const [vpc] = /\bvpc-\w+/.exec(message) ?? [];
      return vpc ? [`aws ec2 describe-network-interfaces --filters Name=vpc-id,Values=${vpc} --region ${region}`] : [];
    },
  ],
];

/** Throttled calls and internal errors need no command: they pass. */
export const remediesFor = (message: string, graph: Graph): string[] =>
  remedies.find(([pattern]) => pattern.test(message))?.[1](message, regionOf(graph)) ?? [];
