public import CoreMetrics
internal import NIOConcurrencyHelpers
internal import Synchronization

/// Keeps metrics in memory, and writes them in Prometheus' text format (version 0.0.4). Safe to use from any thread.
///
/// It is a backend of swift-metrics: pass it to `SyncServer.init` and to the store, or bootstrap `MetricsSystem` with it.
public final class PrometheusRegistry: MetricsFactory {
    private let prefix: String
    private let families = NIOLockedValueBox<[String: Family]>([:])

    /// The samples of one name, by their labels as text.
    private struct Family {
        let kind: ServerMetric.Kind
        var samples: [String: any Sample] = [:]
    }

    /// - Parameter prefix: The program's name, before the name of each metric.
    public init(prefix: String) { self.prefix = Self.name(prefix) }

    /// The media type of the text.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The present values of all metrics.
    public var text: String {
        let families = families.withLockedValue { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            let whole = "\(prefix)_\(name)"
            let help = ServerMetric(rawValue: name)?.help ?? name
            text += "# HELP \(whole) \(help).\n# TYPE \(whole) \(family.kind.rawValue)\n"
            for (labels, sample) in family.samples.sorted(by: { $0.key < $1.key }) {
                sample.write(name: whole, labels: labels, to: &text)
            }
        }
        return text
    }

    // MARK: MetricsFactory

    /// Returns the counter with this label and these dimensions; an existing one if there is one.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let counter: CounterSample? = sample(label, .counter, dimensions) { CounterSample() }
        return counter ?? NOOPMetricsHandler.instance
    }

    /// Returns the gauge, see `makeCounter`.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Returns a histogram if the values are aggregated, else a gauge, see `makeCounter`.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return histogram(label, dimensions) ?? NOOPMetricsHandler.instance }
        return gauge(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Returns a histogram of seconds, see `makeCounter`.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    /// Has no effect: a metric that was exported once is exported until the process ends.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Has no effect.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Has no effect.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Has no effect.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSample? {
        sample(label, .gauge, dimensions) { GaugeSample() }
    }

    private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSample? {
        let bounds = (ServerMetric(rawValue: label) ?? .requestDuration).bounds
        return sample(label, .histogram, dimensions) { HistogramSample(bounds: bounds) }
    }

    /// Returns the sample with these labels, which is created if it doesn't exist; nil if the name belongs to a metric of
    /// another kind.
    private func sample<S: Sample>(
        _ label: String, _ kind: ServerMetric.Kind, _ dimensions: [(String, String)], _ make: () -> S
    ) -> S? {
        let name = Self.name(label)
        let labels = dimensions.map { Self.name($0.0) + "=\"" + Self.escaped($0.1) + "\"" }.joined(separator: ",")
        return families.withLockedValue { families in
            if let present = families[name]?.samples[labels] { return present as? S }
            let family = families[name, default: Family(kind: kind)]
            guard family.kind == kind else { return nil }
            let sample = make()
            families[name] = family
            families[name]?.samples[labels] = sample
            return sample
        }
    }

    /// Returns a text as a name: other characters than letters, digits and `_` are replaced.
    private static func name(_ text: String) -> String {
        String(
            text.map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            })
    }

    private static func escaped(_ value: String) -> String {
        String(
            value.flatMap { character -> [Character] in
                switch character {
                case "\\": ["\\", "\\"]
                case "\"": ["\\", "\""]
                case "\n", "\r\n": ["\\", "n"]
                default: [character]
                }
            })
    }
}

/// The values of one metric with the same labels.
private protocol Sample: AnyObject, Sendable {
    func write(name: String, labels: String, to text: inout String)
}

private func line(_ name: String, _ labels: String, _ value: String) -> String {
    (labels.isEmpty ? name : "\(name){\(labels)}") + " \(value)\n"
}

/// Returns a number without a fraction if it has none.
private func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
}

private final class CounterSample: CounterHandler, Sample {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, "\(value.load(ordering: .relaxed))")
    }
}

private final class GaugeSample: MeterHandler, RecorderHandler, Sample {
    private let value = NIOLockedValueBox(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLockedValue { $0 = value } }
    func increment(by amount: Double) { value.withLockedValue { $0 += amount } }
    func decrement(by amount: Double) { value.withLockedValue { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(name: String, labels: String, to text: inout String) {
        text += line(name, labels, number(value.withLockedValue { $0 }))
    }
}

private final class HistogramSample: TimerHandler, RecorderHandler, Sample {
    private let bounds: [Double]
    private let values: NIOLockedValueBox<Values>

    private struct Values {
        /// Number of values in each bucket, without those of smaller ones; the last one has no bound.
        var counts: [Int]
        var sum = 0.0
    }

    init(bounds: [Double]) {
        self.bounds = bounds
        values = NIOLockedValueBox(Values(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        values.withLockedValue { values in
            values.counts[bucket] += 1
            values.sum += value
        }
    }

    func write(name: String, labels: String, to text: inout String) {
        let values = values.withLockedValue { $0 }
        let comma = labels.isEmpty ? "" : ","
        var count = 0
        for (index, bound) in bounds.enumerated() {
            count += values.counts[index]
            text += line(name + "_bucket", "\(labels)\(comma)le=\"\(number(bound))\"", "\(count)")
        }
        count += values.counts[bounds.count]
        text += line(name + "_bucket", "\(labels)\(comma)le=\"+Inf\"", "\(count)")
        text += line(name + "_sum", labels, number(values.sum))
        text += line(name + "_count", labels, "\(count)")
    }
}
