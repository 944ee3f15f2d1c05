import { expect, it } from 'vitest';
import { deprecatedApisIn } from './deprecated-apis.ts';

it('lists the deprecated APIs that were requested', () => {
  const metrics = `
# HELP apiserver_requested_deprecated_apis [STABLE] Gauge of deprecated APIs that have been requested
# TYPE apiserver_requested_deprecated_apis gauge
apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"} 1
apiserver_requested_deprecated_apis{group="policy",removed_release="1.38",resource="evictions",subresource="status",version="v1beta1"} 1
apiserver_requested_deprecated_apis{group="old",removed_release="1.30",resource="things",subresource="",version="v1"} 0
apiserver_requested_deprecated_apis_total 3
other{group="",removed_release="1.2",resource="others",subresource="",version="v1"} 1
`;
  expect(deprecatedApisIn(metrics)).toEqual([
    { group: '', version: 'v1', resource: 'componentstatuses', removedRelease: '' },
    { group: 'policy', version: 'v1beta1', resource: 'evictions/status', removedRelease: '1.38' },
  ]);
});
