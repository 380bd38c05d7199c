import Ringside
import RingsideCatalogue
import Testing

@Suite("The catalogue's list") struct CatalogueListTests {
    /// The catalogue's promise: name, kind and labels, `name kind label,label`. Names are an interface, because the
    /// dashboards and alerts of users depend on them.
    private static let promised = """
        data_ticks_received_total counter source,symbol
        data_bars_received_total counter source,symbol,duration
        data_ofi_events_generated_total counter symbol
        data_freshness_seconds histogram source,symbol
        data_completeness_ratio gauge symbol
        data_validation_errors_total counter error_type,event_type
        data_ntp_rejects_total counter source
        data_normalization_errors_total counter source
        data_dlq_messages_total counter source
        data_storage_writes_total counter source
        data_storage_write_latency_seconds histogram source
        market_data_websocket_latency_seconds histogram venue,symbol
        market_data_websocket_connection_failures_total counter venue
        market_data_messages_total counter venue
        market_data_gap_events_total counter venue,symbol
        market_data_connected gauge venue
        orders_received_total counter strategy,symbol
        orders_submitted_total counter strategy,symbol,order_type,direction,status
        orders_filled_total counter strategy,symbol,status
        orders_rejected_total counter strategy,reason
        orders_cancelled_total counter strategy,reason
        orders_intent_to_submit_latency_seconds histogram strategy,symbol
        orders_submit_to_ack_latency_seconds histogram strategy,venue,symbol
        orders_ack_to_fill_latency_seconds histogram strategy,venue,symbol
        orders_total_fill_latency_seconds histogram strategy,symbol
        orders_slippage_bps histogram strategy,symbol
        orders_commission_usd_total counter venue
        orders_risk_rejections_total counter check_type
        orders_pov_downscales_total counter strategy
        execution_order_submission_latency_seconds histogram venue,symbol
        execution_api_failures_total counter venue,reason
        execution_api_up gauge venue
        execution_rate_limit_hits_total counter venue
        execution_retries_total counter venue
        exchange_round_trip_seconds histogram venue
        risk_pretrade_check_latency_seconds histogram check_type
        risk_check_failures_total counter check_type
        strategy_candle_processing_seconds histogram strategy
        strategy_signal_generation_seconds histogram strategy
        strategy_order_execution_seconds histogram strategy
        strategy_inference_seconds histogram strategy
        strategy_inference_failures_total counter strategy
        strategy_signals_generated_total counter strategy,direction
        strategy_signal_strength histogram strategy
        strategy_portfolio_gross_exposure_usd gauge strategy
        strategy_portfolio_net_exposure_usd gauge strategy
        strategy_portfolio_value_usd gauge strategy
        strategy_open_positions gauge strategy
        strategy_pnl_realized_usd gauge strategy
        strategy_pnl_unrealized_usd gauge strategy
        strategy_pnl_total_usd gauge strategy
        strategy_daily_loss_usd gauge strategy
        strategy_daily_loss_limit_usd gauge strategy
        strategy_regime_state gauge strategy
        strategy_regime_transitions_total counter from_regime,to_regime
        strategy_qp_solve_time_seconds histogram strategy
        strategy_qp_solve_status_total counter status
        strategy_kill_switches_triggered_total counter switch_type
        strategy_kill_switch_active gauge switch_type
        strategy_circuit_breaker_active gauge strategy
        event_bus_publish_seconds histogram topic
        event_bus_handle_seconds histogram topic
        event_bus_events_total counter topic
        queue_backlog_depth gauge queue
        runtime_pause_seconds histogram cause
        component_memory_bytes gauge component
        orders_produced_total counter producer_id
        orders_consumed_total counter consumer_id
        orders_dropped_total counter producer_id
        batches_sent_total counter -
        batch_latency_seconds histogram -
        network_errors_total counter -
        network_dropped_packets_total counter network_type
        network_retransmissions_total counter network_type
        throughput_orders_per_second gauge -
        buffer_utilization_ratio gauge -
        """

    private static func line(_ definition: MetricDefinition) -> String {
        let labels = definition.labels.map(\.name).joined(separator: ",")
        return "\(definition.name) \(definition.kind.rawValue) \(labels.isEmpty ? "-" : labels)"
    }

    @Test("it holds exactly the instruments that are promised, each once, with their kinds and labels")
    func names() {
        let lines = TradingCatalogue.definitions.map(Self.line)
        let promised = Self.promised.split(separator: "\n").map(String.init)
        #expect(Set(lines).subtracting(promised) == [])
        #expect(Set(promised).subtracting(lines) == [])
        #expect(lines.count == promised.count)
    }

    @Test("the closed sets are those promised, and every other label is open")
    func closedSets() {
        var sets: [String: [String]] = [:]
        for definition in TradingCatalogue.definitions {
            for label in definition.labels {
                guard let values = label.allowedValues else { continue }
                sets["\(definition.name) \(label.name)"] = values
            }
        }
        let regimes = ["Calm", "Normal", "Storm"]
        let switches = ["pnl", "drawdown", "psr"]
        #expect(
            sets == [
                "data_bars_received_total duration": ["1m", "5m", "1h", "1d"],
                "data_validation_errors_total event_type": ["bar", "tick", "ofi"],
                "orders_submitted_total order_type": ["MARKET", "LIMIT", "STOP"],
                "orders_submitted_total direction": ["BUY", "SELL"],
                "orders_submitted_total status": ["success", "error"],
                "orders_filled_total status": ["FILLED", "PARTIAL_FILL"],
                "strategy_signals_generated_total direction": ["BUY", "SELL", "FLAT"],
                "strategy_regime_transitions_total from_regime": regimes,
                "strategy_regime_transitions_total to_regime": regimes,
                "strategy_kill_switches_triggered_total switch_type": switches,
                "strategy_kill_switch_active switch_type": switches,
                "runtime_pause_seconds cause": ["gc", "allocator", "page_fault", "scheduling"],
            ])
    }

    @Test("a name with a unit's suffix has the unit, help is one sentence, and a definition is found by its name")
    func form() throws {
        for definition in TradingCatalogue.definitions {
            let stem = definition.kind == .counter ? definition.name.dropLast("_total".count) : definition.name[...]
            #expect(definition.name.hasSuffix("_total") == (definition.kind == .counter), "\(definition.name)")
            for unit in MetricUnit.allCases where unit != .none {
                #expect(stem.hasSuffix("_\(unit.rawValue)") == (definition.unit == unit), "\(definition.name)")
            }
            let first = definition.help.first
            #expect(definition.help.hasSuffix(".") && (first?.isUppercase ?? false || first?.isNumber ?? false))
            #expect(TradingCatalogue.definition(named: definition.name) == definition)
        }
        #expect(TradingCatalogue.definition(named: "nothing_total") == nil)
    }
}
