export { packBundle, unpackBundle } from "./archive.ts";
export {
  type Bundle,
  type BundleEntry,
  type BundleLimits,
  type BundleProblem,
  type BundleProblemKind,
  type BundleResult,
  bundleDigest,
  bundleLimits,
  highestBundleLimits,
  makeBundle,
} from "./bundle.ts";
export { bundlePathProblem } from "./path.ts";
