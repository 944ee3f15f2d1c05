/** Objects of the API benchmark. */
export const crdName = 'awsmachinetemplates.infrastructure.cluster.x-k8s.io';
export const collection = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/default/awsmachinetemplates';
export const merge = 'application/merge-patch+json';

/** 20 tags make an object of 1.5 KB, 2 a small one. */
export const objectOf = (name: string, tags = 2): string =>
  JSON.stringify({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachineTemplate',
    metadata: { name, namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'bench' } },
    spec: {
      template: {
        spec: {
          instanceType: 't3.large',
          iamInstanceProfile: 'nodes.cluster-api-provider-aws.sigs.k8s.io',
          additionalTags: Object.fromEntries(Array.from({ length: tags }, (_, n) => [`tag-${n}`, `value of tag ${n}`])),
        },
      },
    },
  });

export const quantile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
