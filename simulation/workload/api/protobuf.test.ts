import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../kinds/index.ts';
import { isReadAsProtobuf, withJsonBody } from './protobuf.ts';

/** As client-go 0.36 encodes them. */
const encoded = [
  {
    kind: 'VolumeAttachment',
    base64:
      'azhzAAolChFzdG9yYWdlLms4cy5pby92MRIQVm9sdW1lQXR0YWNobWVudBJdChoKCmF0dGFjaG1lbnQSABoAIgAqADIAOABCABIhCg9lYnMuY3NpLmF3cy5jb20SBgoEZGF0YRoGd29ya2VyGhwIARIYCgpkZXZpY2VQYXRoEgovZGV2L3h2ZGJhGgAiAA==',
    json: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'attachment' },
      spec: { attacher: 'ebs.csi.aws.com', source: { persistentVolumeName: 'data' }, nodeName: 'worker' },
      status: { attached: true, attachmentMetadata: { devicePath: '/dev/xvdba' } },
    },
  },
  {
    kind: 'Node',
    base64:
      'azhzAAoKCgJ2MRIETm9kZRJpCh4KBndvcmtlchIAGgAiACoAMgA4AEIAWgYKAWESAWISJwoAEgAaDGF3czovLy9hL2ktMSABKhEKAWsSABoKTm9TY2hlZHVsZRoeGgAyBAoCCAA6FAoAEgAaACIAKgAyADoAQgBKAFIAGgAiAA==',
    json: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'worker', labels: { a: 'b' } },
      spec: {
        providerID: 'aws:///a/i-1',
        unschedulable: true,
        taints: [{ key: 'k', effect: 'NoSchedule' }],
      },
    },
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    base64:
      'azhzAApBCh9hZG1pc3Npb25yZWdpc3RyYXRpb24uazhzLmlvL3YxEh5WYWxpZGF0aW5nV2ViaG9va0NvbmZpZ3VyYXRpb24SagoUCgRob29rEgAaACIAKgAyADgAQgASUgoNYS5leGFtcGxlLmNvbRIfEglhdXRob3JpdHkaEmh0dHBzOi8vMTI3LjAuMC4xLxoWCgZDUkVBVEUSDAoAEgJ2MRoEcG9kczIETm9uZUICdjEaACIA',
    json: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { url: 'https://127.0.0.1/', caBundle: 'YXV0aG9yaXR5' },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  },
];

describe('a protobuf body', () => {
  it.each(encoded)('of kind $kind decodes to what client-go encoded', async ({ base64, json }) => {
    const request = new Request('https://cluster/', {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: Buffer.from(base64, 'base64'),
    });
    const read = await withJsonBody(request);
    expect(await read.json()).toMatchObject(json);
  });
});

/**
 * client-go sends the first one as JSON. Dynamic resource allocation is only stored, and its maps
 * of messages are not decoded.
 */
const inJson = [
  'apiregistration.k8s.io/v1/APIService',
  'resource.k8s.io/v1/DeviceClass',
  'resource.k8s.io/v1/ResourceClaim',
  'resource.k8s.io/v1/ResourceClaimTemplate',
  'resource.k8s.io/v1/ResourceSlice',
];

it('decodes every built-in kind of a simulated cluster, with these exceptions', () => {
  const unread = builtInKinds.flatMap(({ group, kind, versions }) =>
    versions
      .map(({ name }) => [group, name].filter(Boolean).join('/'))
      .filter((apiVersion) => !isReadAsProtobuf(apiVersion, kind))
      .map((apiVersion) => `${apiVersion}/${kind}`),
  );
  expect(unread.sort()).toEqual(inJson);
});
